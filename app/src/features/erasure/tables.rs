use crate::ui::text;
use leptos::prelude::*;
use remembrancer::api::{Mention, MentionPlace, TableCount};

/// The label of a place.
pub fn place_name(place: MentionPlace) -> &'static str {
    match place {
        MentionPlace::Memory => "Memory",
        MentionPlace::Source => "Source",
        MentionPlace::Event => "Event",
        MentionPlace::Retrieval => "Recall",
        MentionPlace::Quarantine => "Quarantined turn",
        MentionPlace::Proposal => "Proposed phrase",
        MentionPlace::Decision => "Vocabulary decision",
        MentionPlace::Action => "Action",
        MentionPlace::Step => "Workflow step",
        MentionPlace::View => "Saved view",
        MentionPlace::AuditText => "Audit text",
        MentionPlace::Term => "Term",
        MentionPlace::Document => "Document",
    }
}

/// What the rows of a table are. A table whose name says it in plain words has that name.
fn table_name(table: &str) -> String {
    match table {
        "agent_memories" => "Memories",
        "agent_memory_versions" => "Versions of memories",
        "sessions" => "Conversations",
        "memory_term_counts" => "Word counts of agents",
        "memory_terms" => "Words of memories",
        "memory_moments" => "Times when memories became searchable",
        "memory_links" => "Links between memories",
        "memory_proposals" => "Suggestions",
        "embeddings_384" | "embeddings_1536" => "Vectors of memories",
        "tombstones" => "Marks of deleted memories",
        "evidence" => "Quoted sentences",
        "quarantine" => "Quarantined turns",
        "profile_leaves" => "Facts in profiles",
        "profile_versions" => "Versions of profiles",
        "connection_entities" => "Contents of connections",
        "profile_documents" => "Profile documents",
        "profile_document_terms" => "Words of profile documents",
        "profile_embeddings_384" | "profile_embeddings_1536" => "Vectors of profile documents",
        "outbox" => "Messages to other databases",
        "retrievals" => "Recalls",
        "retrieval_hits" => "Hits of recalls",
        "citations" => "Documents cited by recalls",
        "context_log" => "Contexts",
        "context_texts" => "Texts of contexts",
        "context_answers" => "Answers to contexts",
        "idempotent_requests" => "Requests of the last day",
        "term_proposals" => "Proposed phrases",
        "proposal_memories" => "Memories of proposed phrases",
        "decisions" => "Vocabulary decisions",
        "action_terms" => "Words of actions",
        "workflow_step_terms" => "Words of workflow steps",
        "activity_counts" => "Counts of actions and steps",
        "bot_chats" => "Chats of bots",
        "usage_ledger" => "Usage",
        "usage_accounts" => "Balances",
        "usage_credits" => "Credits",
        other => return other.replace('_', " "),
    }
    .to_owned()
}

/// The rows of the person by table.
#[component]
pub fn Counts(tables: Vec<TableCount>) -> impl IntoView {
    let total: i64 = tables.iter().map(|table| table.rows).sum();
    let rows = tables.into_iter().map(|table| {
        let name = table_name(&table.table);
        view! {
            <tr>
                <td class="first-letter:uppercase" title=table.table>{name}</td>
                <td class="text-soft">{table.database}</td>
                <td class="number">{text::number(table.rows)}</td>
            </tr>
        }
    });
    view! {
        <section class="card mb-6 overflow-x-auto" aria-label="Rows of the person" tabindex="0">
            <table class="data" aria-label="Rows of the person">
                <thead>
                    <tr>
                        <th scope="col">"What"</th>
                        <th scope="col">"Database"</th>
                        <th scope="col" class="number" data-testid="rows">{text::count(total, "row", "rows")}</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </section>
    }
}

/// Rows of others that mention the person; with `ticks`, each has a checkbox.
#[component]
pub fn Mentions(mentions: Vec<Mention>, ticks: bool) -> impl IntoView {
    let rows = mentions.into_iter().map(|mention| {
        let value = mention.row().to_string();
        let label = format!("Erase this {}", place_name(mention.place).to_lowercase());
        let tick = match (ticks, mention.place.is_erasable()) {
            (false, _) => ().into_any(),
            (true, true) => view! { <input type="checkbox" name="mentions[]" value=value aria-label=label /> }.into_any(),
            (true, false) => view! { <span class="text-soft" title="It belongs to the organisation.">"stays"</span> }.into_any(),
        };
        let owner = mention.user_id.map_or_else(|| "no user".to_owned(), |user| user.to_string());
        view! {
            <tr data-testid="mention">
                {ticks.then(|| view! { <td>{tick}</td> })}
                <td class="whitespace-nowrap">{place_name(mention.place)}</td>
                <td class="break-words">{mention.excerpt}</td>
                <td class="hidden font-mono text-xs text-soft md:table-cell">{owner}</td>
            </tr>
        }
    });
    view! {
        <section class="card mb-6 overflow-x-auto" aria-label="Mentions" tabindex="0">
            <table class="data" aria-label="Mentions">
                <thead>
                    <tr>
                        {ticks.then(|| view! { <th scope="col">"Erase"</th> })}
                        <th scope="col">"Where"</th>
                        <th scope="col">"Text"</th>
                        <th scope="col" class="hidden md:table-cell">"Belongs to user"</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </section>
    }
}
