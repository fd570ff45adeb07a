//! Every form of a stand-in.

use super::*;

#[derive(Debug)]
struct Coded {
    code: u32,
    #[allow(dead_code)]
    more: u8,
}

impl From<resilience::Error> for Coded {
    fn from(_: resilience::Error) -> Self {
        Self { code: 1, more: 0 }
    }
}

type Answer = std::result::Result<u32, Coded>;

#[fallback(|Coded { code, .. }| Ok(code))]
async fn pattern() -> Answer {
    Err(Coded { code: 5, more: 0 })
}

#[fallback(|error: Coded| -> Answer { Ok(error.code) })]
async fn typed() -> Answer {
    Err(Coded { code: 6, more: 0 })
}

#[fallback(|mut error| {
    error.code += 1;
    if error.code == 8 {
        return Ok(8);
    }
    Err(error)?;
    Ok(0)
})]
async fn returns(code: u32) -> Answer {
    Err(Coded { code, more: 0 })
}

#[fallback(move |_| ["1"].iter().map(|text| text.parse().map_err(Error::other)).collect())]
async fn inferred() -> Result<Vec<u32>> {
    down()
}

#[fallback(|_| Ok(Box::new(|| 2)))]
async fn unsized_coercion() -> Result<Box<dyn Fn() -> u32 + Send>> {
    down()
}

#[fallback(|error| Err(error))]
#[timeout("1s")]
async fn opaque(fails: bool) -> Result<impl Debug> {
    if fails { down() } else { Ok(1_u8) }
}

#[fallback(value = text.parse::<u32>().map_err(Error::other)?)]
async fn question_mark_in_a_value(text: &str) -> Result<u32> {
    down()
}

#[fallback(|error| panic!("{}", error))]
async fn panics() -> Result<u32> {
    down()
}

async fn generic<T: Default>(_: Error) -> Result<T> {
    Ok(T::default())
}

#[fallback(generic::<T>)]
async fn turbofish<T: Default>() -> Result<T> {
    down()
}

macro_rules! wrapped {
    ($text:ident, $with:expr, $value:expr, $key:expr) => {
        #[fallback($with)]
        #[stale_if_error("1m", key = $key)]
        async fn in_a_macro($text: &str) -> Result<u32> {
            down::<()>().map(|()| $text.len() as u32)
        }

        #[fallback(value = $value)]
        async fn value_in_a_macro() -> Result<u32> {
            down()
        }
    };
}

wrapped!(text, |_| Ok(4), 5, (text, 1));

#[tokio::test]
async fn every_closure() {
    assert_eq!(pattern().await.unwrap(), 5);
    assert_eq!(typed().await.unwrap(), 6);
    assert_eq!(returns(7).await.unwrap(), 8);
    assert_eq!(returns(8).await.unwrap_err().code, 9);
    assert_eq!(inferred().await.unwrap(), [1]);
    assert_eq!(unsized_coercion().await.unwrap()(), 2);
    assert!(opaque(true).await.is_err());
    assert!(opaque(false).await.is_ok());
    assert_eq!(question_mark_in_a_value("3").await.unwrap(), 3);
    assert!(question_mark_in_a_value("x").await.is_err());
    assert!(tokio::spawn(panics()).await.unwrap_err().is_panic());
    assert_eq!(turbofish::<u8>().await.unwrap(), 0);
    assert_eq!((in_a_macro("x").await.unwrap(), value_in_a_macro().await.unwrap()), (4, 5));
}
