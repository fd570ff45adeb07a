//! The table of scenarios in the README: every test it names exists, and every test of a scenario is in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names of the test functions below a folder.
fn tests(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.append(&mut tests(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let source = fs::read_to_string(&path).unwrap();
            // What follows an attribute of a test; other functions do not count.
            for rest in source.split("test]\n").chain(source.split("test(")).skip(1) {
                let function = rest.lines().find_map(|line| line.trim().split_once("fn ")).map(|(_, rest)| rest);
                found.extend(function.and_then(|rest| rest.split(['(', '<']).next()).map(str::to_owned));
            }
        }
    }
    found
}

/// The id at the beginning of a test's name, as the table writes it: `C5` of `c5_…`, `HO-01` of `ho01_…`.
fn scenario(test: &str) -> Option<String> {
    let word = test.split('_').next()?;
    let digits = word.find(|letter: char| letter.is_ascii_digit())?;
    let (letters, number) = word.split_at(digits);
    if !number.chars().all(|letter| letter.is_ascii_digit()) {
        return None;
    }
    match letters.len() {
        1 => Some(format!("{}{number}", letters.to_uppercase())),
        2 => Some(format!("{}-{number}", letters.to_uppercase())),
        _ => None,
    }
}

#[test]
fn the_table_of_scenarios_is_right() {
    let readme = fs::read_to_string(package().join("README.md")).unwrap();
    let rows: Vec<(&str, &str)> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
        .filter(|(id, _)| id.starts_with(|letter: char| letter.is_ascii_uppercase()))
        .collect();
    let tests = tests(&package().join("tests"));
    for (id, row) in &rows {
        for quoted in row.split('`').skip(1).step_by(2) {
            let letters = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
            let is_test = quoted.contains('_') && quoted.chars().all(letters);
            assert!(!is_test || tests.contains(quoted), "{id} names a test that does not exist: {quoted}");
        }
    }
    for test in &tests {
        let Some(id) = scenario(test) else { continue };
        let row = rows.iter().find(|(row, _)| *row == id);
        let named = row.is_some_and(|(_, row)| row.contains(&format!("`{test}`")));
        assert!(named, "the row {id} does not name {test}");
    }
}
