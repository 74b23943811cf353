use super::words::block_name;
use crate::ui::{Badge, Tone, text};
use leptos::prelude::*;
use wire::{BlockItem, BlockName, ContextBlock, ItemOrigin, NamedSource};

type Part = (ContextBlock, String);

/// The text in blocks, by the bytes that each takes; nothing if the bytes do not add up to the text.
fn parts(blocks: &[ContextBlock], whole: &str) -> Option<Vec<Part>> {
    let (mut parts, mut rest) = (Vec::new(), whole);
    for block in blocks {
        let (part, tail) = rest.split_at_checked(usize::try_from(block.bytes).ok()?)?;
        parts.push((block.clone(), part.to_owned()));
        rest = tail;
    }
    rest.is_empty().then_some(parts)
}

/// A piece of text, and the item whose short id it is.
#[derive(Debug, PartialEq)]
enum Run<'a> {
    Plain(&'a str),
    Id(&'a str, &'a BlockItem),
}

/// Splits a text at the short ids of `items`, as lines of a context name them: `[id:K3V9X2AQ]`.
fn runs<'a>(whole: &'a str, items: &'a [BlockItem]) -> Vec<Run<'a>> {
    let (mut runs, mut rest) = (Vec::new(), whole);
    let known = |id: &str| items.iter().find(|item| item.short_id.as_deref() == Some(id));
    let mut from = 0;
    while let Some(at) = rest.get(from..).and_then(|tail| tail.find("[id:")).map(|at| at + from) {
        let end = rest.get(at..).and_then(|tail| tail.find(']')).map(|length| at + length + 1);
        let item = end.and_then(|end| Some((end, known(rest.get(at + 4..end - 1)?)?)));
        match item {
            Some((end, item)) => {
                runs.push(Run::Plain(rest.get(..at).unwrap_or_default()));
                runs.push(Run::Id(rest.get(at..end).unwrap_or_default(), item));
                rest = rest.get(end..).unwrap_or_default();
                from = 0;
            }
            None => from = at + 4,
        }
    }
    runs.push(Run::Plain(rest));
    runs
}

/// The text as the model got it, block by block, with links to where each line comes from.
#[component]
pub fn PromptText(blocks: Vec<ContextBlock>, whole: String, sources: Vec<NamedSource>) -> impl IntoView {
    match parts(&blocks, &whole) {
        Some(parts) => {
            let part = |part: Part| view! { <BlockText part sources=sources.clone() /> };
            view! { <div class="divide-y divide-line">{parts.into_iter().map(part).collect_view()}</div> }.into_any()
        }
        None => view! { <Verbatim label="The whole text" content=whole items=vec![] /> }.into_any(),
    }
}

#[component]
fn BlockText(part: Part, sources: Vec<NamedSource>) -> impl IntoView {
    let (block, content) = part;
    let (id, name) = (format!("block-{}", block.name), block_name(block.name));
    view! {
        <section class="px-4 py-3" aria-labelledby=id.clone() data-testid="part">
            <header class="mb-1.5 flex flex-wrap items-baseline gap-x-3 gap-y-1">
                <h3 class="text-sm font-semibold" id=id.clone()>{name}</h3>
                <span class="text-xs text-soft">{text::count(i64::from(block.tokens), "token", "tokens")} {from(&block)}</span>
            </header>
            <Verbatim label=name content items=block.items.clone() />
            <Origins items=block.items sources />
        </section>
    }
}

/// Where a block without links comes from: ` · from the caller`.
fn from(block: &ContextBlock) -> Option<&'static str> {
    match block.items.first()?.origin {
        ItemOrigin::Caller => Some(" · from the caller"),
        ItemOrigin::Profile => Some(" · from the profile of the user"),
        ItemOrigin::Connection => Some(" · from the user's connections"),
        ItemOrigin::Action | ItemOrigin::Step => Some(" · from what agents reported"),
        ItemOrigin::Server if block.name == BlockName::Turns => Some(" · from the caller, the older turns condensed by the server"),
        ItemOrigin::Server => Some(" · from the server"),
        ItemOrigin::Memory | ItemOrigin::Knowledge | ItemOrigin::Skill => None,
    }
}

/// The text of a block as it is, with its short ids as links.
#[component]
fn Verbatim(label: &'static str, content: String, items: Vec<BlockItem>) -> impl IntoView {
    let shown = runs(content.trim_end_matches('\n'), &items)
        .into_iter()
        .map(|run| match run {
            Run::Plain(plain) => view! { <span>{text::visible(plain)}</span> }.into_any(),
            Run::Id(id, item) => match item.memory_id {
                Some(memory) => view! { <a class="underline" href=format!("/memories/{memory}")>{id.to_owned()}</a> }.into_any(),
                None => view! { <span>{id.to_owned()}</span> }.into_any(),
            },
        })
        .collect_view();
    view! {
        <pre
            class="verbatim max-h-128 overflow-y-auto font-mono text-xs"
            tabindex="0"
            role="region"
            aria-label=format!("Text: {label}")
            data-testid="text"
        >
            {shown}
        </pre>
    }
}

/// Links to the memories, documents and skills of a block.
#[component]
fn Origins(items: Vec<BlockItem>, sources: Vec<NamedSource>) -> impl IntoView {
    let links: Vec<AnyView> = items.into_iter().filter_map(|item| origin(&item, &sources)).collect();
    (!links.is_empty()).then(|| view! { <ul class="mt-2 space-y-1 text-xs" aria-label="Sources">{links}</ul> })
}

fn origin(item: &BlockItem, sources: &[NamedSource]) -> Option<AnyView> {
    let id = item.memory_id.map(|id| id.0).or(item.chunk_id.map(|id| id.0));
    let source = id.and_then(|id| sources.iter().find(|source| source.id == id));
    let named = |unnamed: &str| source.map_or_else(|| unnamed.to_owned(), |source| text::visible(&source.name));
    let (href, name) = match (item.memory_id, item.document_id, &item.path) {
        (Some(memory), ..) => (Some(format!("/memories/{memory}")), named(item.short_id.as_deref().unwrap_or("erased memory"))),
        (_, Some(document), _) => (Some(format!("/knowledge/documents/{document}")), named("document")),
        (.., Some(path)) => (None, path.clone()),
        _ => return None,
    };
    let title = match href {
        Some(href) => view! { <a class="inline-block min-h-6 min-w-0 wrap-anywhere" href=href>{name}</a> }.into_any(),
        None => view! { <code class="font-mono wrap-anywhere">{name}</code> }.into_any(),
    };
    let gone = source.is_some_and(|source| source.gone).then(|| {
        view! { <Badge tone=Tone::Danger text="no longer available" title="Deleted, superseded, expired or retired since." /> }
    });
    let version = item.version.map(|version| view! { <span class="font-mono text-soft">{format!("v{version}")}</span> });
    let score = item.score.map(|score| view! { <span class="text-soft">{format!("score {score:.3}")}</span> });
    let because = item.because.clone().map(|because| view! { <span class="basis-full break-words text-soft">{because}</span> });
    let row = view! {
        <li class="flex flex-wrap items-baseline gap-x-2" data-testid="origin">
            {title} {version} {score} {gone} {because}
        </li>
    };
    Some(row.into_any())
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;
    use wire::MemoryId;

    fn block(name: BlockName, bytes: u32) -> ContextBlock {
        ContextBlock { name, tokens: 1, bytes, items: vec![] }
    }

    #[test]
    fn a_text_is_cut_only_where_its_blocks_end() {
        let blocks = [block(BlockName::SystemPrompt, 3), block(BlockName::Time, 4)];
        let cut = parts(&blocks, "ab\ncdé").unwrap();
        assert_eq!(cut.iter().map(|(_, part)| part.as_str()).collect::<Vec<_>>(), ["ab\n", "cdé"]);
        for other in ["ab\ncd", "ab\ncdéf", "", "abéde"] {
            assert_eq!(parts(&blocks, other), None, "{other}");
        }
        assert_eq!(parts(&[block(BlockName::Time, 2), block(BlockName::Turns, 2)], "aéb"), None, "in the middle of a character");
    }

    #[test]
    fn short_ids_of_the_block_become_links_and_others_do_not() {
        let item =
            BlockItem { memory_id: Some(MemoryId(Uuid::nil())), short_id: Some("K3V9X2AQ".into()), ..BlockItem::of(ItemOrigin::Memory) };
        let items = [item];
        let found = runs("- [id:K3V9X2AQ] tea [id:", &items);
        assert_eq!(found, [Run::Plain("- "), Run::Id("[id:K3V9X2AQ]", &items[0]), Run::Plain(" tea [id:")]);
        assert_eq!(runs("[id:OTHER]] x", &items), [Run::Plain("[id:OTHER]] x")]);
        assert_eq!(runs("", &items), [Run::Plain("")]);
    }
}
