//! The items of an expansion: the anchors, the sites, and for each layer what rustc is to check of its options.

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;

use crate::args::Setting;
use crate::function::{Function, MARKER};
use crate::in_range;
use crate::literal::Value;
use crate::policy::Shape;
use crate::stack::{Layer, Stack};
use crate::tokens::local;

/// All items of one expansion: few, since each costs every user's build.
///
/// ```text
/// #[retry(max_attempts = ATTEMPTS, max_delay = self.limit)]
/// #[bulkhead(max_concurrent = 9)]
/// →
/// const __RESILIENCE_CONFIG_0: ::resilience::retry::Config = ::resilience::retry::Config::new().max_attempts(ATTEMPTS);
/// const _: () = __RESILIENCE_CONFIG_0.check("max_attempts");
/// static __RESILIENCE_SITES: rt::Linked<(rt::RetrySite, (rt::BulkheadSite, ()))> = {
///     let __place = rt::Place::new(…);
///     rt::Linked::new(&__RESILIENCE_LINK, (
///         rt::retry_site(__place, __RESILIENCE_CONFIG_0).computing(&["max_delay"]),
///         (rt::bulkhead_site(__place, ::resilience::bulkhead::Config::new().max_concurrent(9)), ()),
///     ))
/// };
/// #[used] #[link_section = …]
/// static __RESILIENCE_LINK: extern "C" fn() = { extern "C" fn __link() { __RESILIENCE_SITES.link() } __link };
/// ```
pub(crate) fn items(function: &Function, stack: &Stack, krate: &TokenStream, rt: &TokenStream) -> TokenStream {
    let site = Span::mixed_site();
    let anchors = stack.proofs();
    let name = function.signature.ident.unraw().to_string();
    let type_name = stack.of_impl.as_ref().and_then(|of_impl| of_impl.type_name.as_deref());
    let name = Literal::string(&type_name.map_or_else(|| name.clone(), |type_name| format!("{type_name}::{name}")));
    let layers: Vec<_> =
        stack.layers.iter().enumerate().map(|(index, layer)| of_layer(index, layer, krate, rt)).collect();
    let (types, values) = list(layers.iter().map(|layer| &layer.site), rt, beside_layers(&layers, rt));
    let beside = layers.iter().map(|layer| &layer.beside);
    let all = local(MARKER);
    let import = is_importable(&stack.krate).then(|| import(&stack.krate));
    quote_spanned! {site=>
        #import
        #anchors
        #(#beside)*
        static #all: #rt::Linked<#types> = {
            let __place = #rt::Place::new(::core::module_path!(), #name);
            #rt::Linked::new(&__RESILIENCE_LINK, #values)
        };
        // Where a program keeps what runs before `main`.
        #[used]
        #[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
        #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func,mod_init_funcs"))]
        #[cfg_attr(not(any(windows, target_vendor = "apple")), unsafe(link_section = ".init_array"))]
        static __RESILIENCE_LINK: extern "C" fn() = {
            extern "C" fn __link() {
                #all.link();
            }
            __link
        };
    }
}

/// The type and the value of a list of sites: `(a, (b, END))`.
type List = (TokenStream, TokenStream);

fn list<'a>(sites: impl DoubleEndedIterator<Item = &'a Site>, rt: &TokenStream, end: List) -> List {
    let site = Span::mixed_site();
    sites.rev().fold(end, |(types, values), Site { ty, value }| {
        (quote_spanned!(site=> (#rt::#ty, #types)), quote_spanned!(site=> (#value, #values)))
    })
}

/// What comes after the layers: the budgets, or nothing.
fn beside_layers(layers: &[Items], rt: &TokenStream) -> List {
    let site = Span::mixed_site();
    let nothing = || (quote_spanned!(site=> ()), quote_spanned!(site=> ()));
    let mut budgets = layers.iter().filter_map(|layer| layer.budget.as_ref()).peekable();
    if budgets.peek().is_none() {
        return nothing();
    }
    let budgets: Vec<_> = budgets.collect();
    let (types, values) = list(budgets.into_iter(), rt, nothing());
    (quote_spanned!(site=> #rt::Beside<#types>), quote_spanned!(site=> #rt::Beside(#values)))
}

const RUNTIME: &str = "__resilience";
const PRIVATE: &str = "__rt";

/// What an expansion calls the runtime: an import, so that a runtime that is not there is one error and not one for
/// each time it is named.
pub(crate) fn runtime(krate: &TokenStream) -> TokenStream {
    if is_importable(krate) { local(RUNTIME).to_token_stream() } else { krate.clone() }
}

/// What an expansion calls the runtime's part for expansions.
pub(crate) fn private(krate: &TokenStream) -> TokenStream {
    if is_importable(krate) {
        return local(PRIVATE).to_token_stream();
    }
    quote_spanned!(Span::mixed_site()=> #krate::__private)
}

/// The name is where the path ends: the path alone is underlined where it is wrong.
fn import(krate: &TokenStream) -> TokenStream {
    let end = krate.clone().into_iter().last().map_or_else(Span::mixed_site, |token| token.span());
    let name = Ident::new(RUNTIME, end);
    let private = local(PRIVATE);
    quote_spanned! {Span::mixed_site()=>
        use #krate as #name;
        use #name::__private as #private;
    }
}

/// `$crate` alone is the one path that cannot be imported under another name.
fn is_importable(krate: &TokenStream) -> bool {
    let mut tokens = krate.clone().into_iter();
    let first = tokens.next();
    !matches!(first, Some(TokenTree::Ident(name)) if name == "$crate" && tokens.next().is_none())
}

/// The items of one layer.
struct Items {
    site: Site,
    /// The site of its retry budget.
    budget: Option<Site>,
    /// Its constants, and the values it remembers.
    beside: TokenStream,
}

/// What is linked: its type, and the value.
struct Site {
    ty: Ident,
    value: TokenStream,
}

fn of_layer(index: usize, layer: &Layer, krate: &TokenStream, rt: &TokenStream) -> Items {
    let site = Span::mixed_site();
    let module = local(layer.policy.module);
    let (name_item, named) = named(layer.args.name.as_ref(), &format!("__RESILIENCE_NAME_{index}"), krate);
    let setters = layer.constants().map(|setting| setter(setting, krate));
    let config = quote_spanned!(site=> #krate::#module::Config::new()#(#setters)*);
    let checked = layer.constants().filter(|setting| layer.checked && !in_range::surely(layer.policy, setting));
    let constant = config_of(index);
    let checks: TokenStream = checked.map(|setting| check(&constant, setting)).collect();
    // A constant where there is something to check, or calls go on from it.
    let (checks, config) = if layer.computed().next().is_some() || !checks.is_empty() {
        let constant_item = quote_spanned! {site=>
            const #constant: #krate::#module::Config = #config;
            #checks
        };
        (constant_item, constant.to_token_stream())
    } else {
        (TokenStream::new(), config)
    };
    let computed: Vec<_> = layer.computed().map(key).collect();
    let computing = (!computed.is_empty()).then(|| quote_spanned!(site=> .computing(&[#(#computed),*])));
    let (budget, budget_name) = of_budget(index, layer, krate, rt).unzip();
    let memory = (layer.policy.shape == (Shape::Recover { remembers: true })).then(|| {
        let memory = memory_of(index);
        quote_spanned!(site=> static #memory: #rt::Memory = #rt::Memory::new();)
    });
    let beside = quote_spanned! {site=>
        #name_item
        #checks
        #budget_name
        #memory
    };
    let new = local(layer.policy.new_site);
    let value = quote_spanned!(site=> #rt::#new(__place, #config) #named #computing);
    Items { site: Site { ty: local(layer.policy.site), value }, budget, beside }
}

/// The site of a layer's retry budget, and the item of its name.
fn of_budget(index: usize, layer: &Layer, krate: &TokenStream, rt: &TokenStream) -> Option<(Site, TokenStream)> {
    let site = Span::mixed_site();
    let budget = layer.args.budget.as_ref()?;
    let (item, named) = named(Some(budget), &format!("__RESILIENCE_BUDGET_NAME_{index}"), krate);
    let value = quote_spanned!(site=> #rt::retry_budget_site(__place, #krate::retry_budget::Config::new())#named);
    Some((Site { ty: local("RetryBudgetSite"), value }, item))
}

/// A range check of its own for each option, all of it at the value: rustc then underlines each value that is wrong.
fn check(config: &Ident, setting: &Setting) -> TokenStream {
    let config = Ident::new(&config.to_string(), setting.span);
    let mut key = key(setting);
    key.set_span(setting.span);
    quote_spanned!(setting.span=> const _: () = #config.check(#key);)
}

/// `.named("payments")`; a name that is an expression goes through a `const`, which says its type.
fn named(name: Option<&Value>, constant: &str, krate: &TokenStream) -> (TokenStream, TokenStream) {
    let site = Span::mixed_site();
    let Some(name) = name else { return (TokenStream::new(), TokenStream::new()) };
    let value = name.tokens(krate);
    if name.is_literal() {
        return (TokenStream::new(), quote_spanned!(site=> .named(#value)));
    }
    let constant = local(constant);
    let item = quote_spanned!(site=> const #constant: &::core::primitive::str = #value;);
    (item, quote_spanned!(site=> .named(#constant)))
}

/// `.max_attempts(3)`, the key with the user's span.
pub(crate) fn setter(setting: &Setting, krate: &TokenStream) -> TokenStream {
    let (key, value) = (&setting.key, setting.value.tokens(krate));
    quote_spanned!(Span::mixed_site()=> .#key(#value))
}

fn key(setting: &Setting) -> Literal {
    Literal::string(&setting.key.unraw().to_string())
}

/// The `const` that holds a layer's configuration, where calls compute options or there is something to check.
pub(crate) fn config_of(index: usize) -> Ident {
    local(&format!("__RESILIENCE_CONFIG_{index}"))
}

/// A layer's site.
pub(crate) fn site_of(index: usize) -> TokenStream {
    let (site, from) = (Span::mixed_site(), sites_from(index));
    quote_spanned!(site=> #from.0)
}

/// The sites from a layer's inwards.
pub(crate) fn sites_from(index: usize) -> TokenStream {
    let (site, all) = (Span::mixed_site(), local(MARKER));
    let further = further(index);
    quote_spanned!(site=> #all.sites #further)
}

/// So many places on in a list.
fn further(count: usize) -> TokenStream {
    (0..count).map(|_| quote_spanned!(Span::mixed_site()=> .1)).collect()
}

/// The site of a layer's retry budget: the budgets' stand beside the layers'.
pub(crate) fn budget_of(index: usize, stack: &Stack) -> TokenStream {
    let before = stack.layers.iter().take(index).filter(|layer| layer.args.budget.is_some()).count();
    let (site, layers) = (Span::mixed_site(), sites_from(stack.layers.len()));
    let further = further(before);
    quote_spanned!(site=> #layers.0 #further.0)
}

/// The `static` that holds the values a layer remembers.
pub(crate) fn memory_of(index: usize) -> Ident {
    local(&format!("__RESILIENCE_MEMORY_{index}"))
}
