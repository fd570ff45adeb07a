//! Coverage of a guarded body is that of a plain one, region for region, in the map that rustc puts into a program.
//!
//! The map is read from the LLVM IR of this very file, so that it takes no tool beside rustc.

use std::collections::BTreeSet;
use std::io::{Error, Result};
use std::process::Command;
use std::{env, fs};

use resilience::{bulkhead, circuit_breaker, fallback, rate_limit, retry, timeout};

async fn ready(number: u32) -> Result<u32> {
    tokio::task::yield_now().await;
    if number == 0 { Err(Error::other("nothing")) } else { Ok(number) }
}

async fn plain(number: u32) -> Result<u32> {
    let mut sum = 0;
    if number > 10 {
        return Err(Error::other("too large"));
    }
    for each in 0..number {
        let doubled = ready(each + 1).await? * 2;
        match doubled {
            2 => sum += 1,
            4 | 6 => {
                sum += 2;
            }
            _ => {
                let text = format!("{doubled}{}", ready(1).await.map(|one| { one + 1 })?,);
                sum += u32::try_from(text.len()).unwrap_or_default();
            }
        }
    }
    Ok(sum)
}

#[timeout("9s")]
#[fallback(|error| Err(error))]
#[retry(max_attempts = 1)]
#[circuit_breaker]
#[bulkhead]
#[rate_limit(limit = 1000)]
#[timeout("1s")]
async fn guarded(number: u32) -> Result<u32> {
    let mut sum = 0;
    if number > 10 {
        return Err(Error::other("too large"));
    }
    for each in 0..number {
        let doubled = ready(each + 1).await? * 2;
        match doubled {
            2 => sum += 1,
            4 | 6 => {
                sum += 2;
            }
            _ => {
                let text = format!("{doubled}{}", ready(1).await.map(|one| { one + 1 })?,);
                sum += u32::try_from(text.len()).unwrap_or_default();
            }
        }
    }
    Ok(sum)
}

#[tokio::test]
async fn both_do_the_same() {
    for number in [0, 4, 11] {
        let (plain, guarded) = (plain(number).await, guarded(number).await);
        assert_eq!(plain.map_err(|error| error.to_string()), guarded.map_err(|error| error.to_string()));
    }
}

/// Where a region of code begins and ends: lines and columns, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Region {
    from: (u64, u64),
    to: (u64, u64),
}

/// The records of functions: `@__covrec_… = … [46 x i8] c"\01\05…" …`.
fn regions(ir: &str) -> BTreeSet<Region> {
    let records = ir.lines().filter(|line| line.starts_with("@__covrec_"));
    let bytes = records.filter_map(|line| Some(unescaped(line.split_once("] c\"")?.1.split_once('"')?.0)));
    bytes.flat_map(|bytes| Record(bytes.into_iter()).regions()).collect()
}

/// `\0A` is a byte, `\\` a backslash, anything else stands for itself.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes().iter();
    while let Some(byte) = rest.next() {
        let (b'\\', Some(first)) = (byte, rest.as_slice().first()) else {
            bytes.push(*byte);
            continue;
        };
        rest.next();
        bytes.push(match first {
            b'\\' => b'\\',
            high => {
                let low = rest.next().expect("two digits");
                let digits = String::from_iter([*high, *low].map(char::from));
                u8::from_str_radix(&digits, 16).expect("hexadecimal")
            }
        });
    }
    bytes
}

/// One function's part of the map, as <https://llvm.org/docs/CoverageMappingFormat.html> describes it.
struct Record(std::vec::IntoIter<u8>);

impl Record {
    /// A number in LEB128.
    fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = u64::from(self.0.next().expect("a complete record"));
            number |= (byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return number;
            }
        }
    }

    fn skip(&mut self, numbers: u64) {
        for _ in 0..numbers {
            self.number();
        }
    }

    fn regions(mut self) -> Vec<Region> {
        const GAP: u64 = 1 << 31;
        let files = self.number();
        self.skip(files);
        let expressions = self.number();
        self.skip(2 * expressions);
        let mut regions = Vec::new();
        for _ in 0..files {
            let mut line = 0;
            for _ in 0..self.number() {
                // Two bits of tag: zero is no counter at all, and so no code that can be seen to run.
                let counted = self.number() & 0b11 != 0;
                line += self.number();
                let from = (line, self.number());
                let to = (line + self.number(), self.number());
                if counted && to.1 & GAP == 0 {
                    regions.push(Region { from, to });
                }
            }
        }
        regions
    }
}

/// The lines from the one that begins so to the one that closes it.
fn lines_of(source: &str, first: &str) -> (u64, u64) {
    let mut lines = (1..).zip(source.lines()).skip_while(|(_, line)| !line.starts_with(first));
    let from = lines.next().expect("the function is in this file").0;
    (from, lines.find(|(_, line)| *line == "}").expect("it ends").0)
}

fn map_of_this_file() -> BTreeSet<Region> {
    let ir = env::temp_dir().join(format!("coverage-map-{}.ll", std::process::id()));
    let cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["rustc", "--quiet", "--test", "coverage_map", "--", "-Cinstrument-coverage", "-Ccodegen-units=1"])
        .arg(format!("--emit=llvm-ir={}", ir.display()))
        .output()
        .expect("cargo runs");
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    let text = fs::read_to_string(&ir).expect("the file that rustc was told to write");
    drop(fs::remove_file(&ir));
    regions(&text)
}

#[test]
fn every_region_of_a_plain_body_is_one_of_the_guarded() {
    let source = fs::read_to_string(env::current_dir().unwrap().join("tests/coverage_map.rs")).expect("this file");
    let map = map_of_this_file();
    let (plain, guarded) = (lines_of(&source, "async fn plain"), lines_of(&source, "async fn guarded"));
    let body = |(from, to): (u64, u64)| -> BTreeSet<Region> {
        let inside = map.iter().filter(|region| region.from.0 > from && region.to.0 <= to);
        inside.map(|Region { from: (a, b), to: (c, d) }| Region { from: (a - from, *b), to: (c - from, *d) }).collect()
    };
    assert!(body(plain).len() > 20, "there are regions");
    assert_eq!(body(guarded), body(plain));
}
