#[automatically_derived]
impl<T> ::resilience::Classify for ApiError<T>
where
    Inner<T>: ::resilience::Classify,
{
    fn classify(&self) -> ::resilience::Class {
        match self {
            Self::Broken { .. } => ::resilience::Class::Permanent,
            Self::Busy { 1: __hint, .. } => {
                ::resilience::Class::Overloaded {
                    retry_after: ::resilience::__private::Hint::hint(__hint),
                }
            }
            Self::Full { .. } => {
                ::resilience::Class::Overloaded {
                    retry_after: ::core::option::Option::None,
                }
            }
            Self::Inner { 0: __inner, .. } => ::resilience::Classify::classify(__inner),
            Self::Foreign { 0: __inner, .. } => class_of(__inner),
            Self::NotFound { .. } => ::resilience::Class::Caller,
            Self::Lost { .. } => ::resilience::Class::Transient,
            Self::Unmarked { source: __inner, .. } => {
                use ::resilience::__private::asking::*;
                ::resilience::__private::unmarked(
                    (&&&::resilience::__private::Probe(__inner)).class(),
                    (&&::resilience::__private::Probe(self)).refusal(),
                )
            }
            Self::Several { .. } => {
                use ::resilience::__private::asking::*;
                ::resilience::__private::unmarked(
                    ::core::option::Option::None,
                    (&&::resilience::__private::Probe(self)).refusal(),
                )
            }
        }
    }
}
