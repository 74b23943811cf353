//! What is said for the sake of the conversation and not worth remembering: small talk, assent, wishes, hypotheses, talk about the talk.

use super::pattern::begins_any;
use super::signals::{Signals, Sort};

// Beginnings in plain words (see `signals`).
#[rustfmt::skip]
const SMALL_TALK: &[&str] = &[
    // Greetings and farewells.
    "hi|hello|hey|welcome|bye|goodbye|cheers", "good morning|afternoon|evening|night|luck", "see|catch you", "talk soon", "talk to you",
    "take care", "have a|fun", "stay safe|well|strong|positive",
    // Thanks, apologies, congratulations and praise.
    "thanks|thank|appreciate|appreciated|sorry|congrats|congratulations", "well done", "way to", "happy birthday|anniversary|holidays",
    "good|great|nice|awesome|excellent|amazing|fantastic job|work|idea|point|question|for|to|on", "so? glad|happy|proud|sorry",
    // Wishes and encouragement.
    "hope|wish|enjoy|believe", "best of|wishes", "all the best", "you can|got",
    // Requests.
    "let me|let's", "tell|show|send|give me", "feel free", "a|so lot|lot's|much has|is? been? happened|going", "check|look|go|come", "keep|don't|do not",
    // Exclamations and questions without their mark.
    "what|how|why|who|where|such|wow", "is|are|do|does|did|have|has|will|would|could|can you|it|that|there|they|this",
    // The listener, or what the listener said.
    "you|your|that|that's", "sounds|sound|seems|looks like?",
    // Assent.
    "sure|absolutely|definitely|totally|exactly|indeed|same|anytime", "of course", "no problem|need|worries|doubt|way",
    // Something that is being shown.
    "here's|here", "remember when|that|the", 
];
// The same in the first person. "We" is read as "I".
#[rustfmt::skip]
const COURTESY: &[&str] = &[
    // Assent, and doubt about what the other one said.
    "maybe|perhaps i can|could|should", "i agree|see|bet|guess|understand|hear|wonder|mean|suppose|wish|doubt|disagree", "i hope you|your|it|that|this|everything|all|he|she|they|so|the|i",
    "i get how|what|why|where", "i know|get|feel|love|like|appreciate|admire|hear that|that's|this|these|those|right|it|you|your",
    "i know|love|like|admire|appreciate how|what you|your|it|that|this|much|hard",
    "i love|like|appreciate|admire all? the way|idea|thought|sound|look",
    "i can|could not? imagine|see|relate|understand|tell|agree|complain|believe|say",
    "i think|thought|believe you|your|that|that's|it|it's|this|so", "i believe in", "i did not know|realize|realise",
    // Feelings about the listener's news.
    "i am so? glad|sorry|sure|curious|jealous|impressed|intrigued|honored|honoured",
    "i am so? happy|proud|excited|thrilled|pleased|delighted for|of you|your|that|it", "i am so? happy|proud|excited|thrilled|pleased|delighted you|your|that|it",
    "i am so? happy|excited|thrilled|pleased|delighted|keen|eager to hear|see|help|know|read",
    "i am here|there for?", "i am with you", "i feel the same",
    // What the speaker would like to know or to see.
    "i would love|like that|it", "i would love|like to hear|see|know|check|read|watch", "i can not wait to hear|see|read|know",
    "i am looking|look forward to it|that|hearing|seeing|catching|chatting|talking|more|your", "i look forward to it|that|hearing|seeing|your", "i am curious", "i was wondering", "i have not heard", "i would say",
    "i wanted|want|have|need to tell|say|ask|share|check", "i must|should say|admit",
    // Promises and offers.
    "i will|would|can|could|should|shall|might let|keep|share|check|reach|send|show|tell|ask|see|try|do|think", "i will|would be? sure|there",
    "i will give|take|make|get it|that|you|sure|back",
    // The end of the conversation.
    "i have got to|gotta? go|run",
    // News to come.
    "i have got? some|a|an|big|great|good|exciting|something? news|something|to",
    "i have got? a|an|some|so? funny|good|great|crazy|cool|many|wild? story|stories|question|surprise|update",
    // How the speaker is at the moment.
    "i am doing|feeling? good|well|great|fine|okay|ok|alright", "i have been doing? good|well|great|fine|okay", "i am hoping so", "i got|have got? your", "my pleasure",
];
/// Beliefs about the speaker.
const BELIEFS: &[&str] = &["i am sure|certain|confident i|with|my"];
/// Exhortations: "we" are people in general, or speaker and listener.
const EXHORTATIONS: &[&str] = &["together? we all? can|should|must|gotta|need", "we need to", "we got|we've this|got"];
/// What is said of moments and things in general.
const TRUTHS: &[&str] = &[
    "i will remember|cherish|treasure those|these|moments|memories",
    "the small|little|simple things make|makes|matter|count|bring|in life",
    "makes|make it all? worth it?",
    "life is|life's too? short|great|good|beautiful|precious|full",
];
/// How speakers refer to the last time they talked.
const LAST_TALK: &[&str] = &[
    "since i talked|chatted|spoke|met|last",
    "since my|the last",
    "my|the last chat|talk|conversation",
    "i have not talked|spoken|chatted|met",
    "last time i talked|chatted|spoke|met",
];
/// The fewest topical words of a statement that is vague otherwise.
const TOPICAL_MIN: usize = 3;
/// The fewest topical words of a statement that says since when by the last talk.
const TALKED_MIN: usize = 7;
/// The fewest topical words of a resolve that says what it is about, beside those of resolves.
const RESOLVE_MIN: usize = 2;
/// Words of resolves.
#[rustfmt::skip]
const RESOLVES: &[&str] = &[
    "anyone", "anything", "come", "comes", "excited", "impact", "whatever", "believe", "believing", "best", "better", "chase", "chasing", "determined", "difference", "difficult", "dream",
    "dreams", "everything", "fighting", "focus", "focused", "focusing", "follow", "following", "forward", "give", "goal", "goals", "grow", "growing",
    "hard", "hold", "improve", "improving", "inspired", "inspires", "keeping", "learn", "learning", "matter", "moving", "motivated",
    "motivates", "motivation", "never", "nothing", "passion", "passions", "positive", "progress", "push", "pushing", "quit", "reach",
    "reaching", "ready", "shine", "shining", "stay", "staying", "stop", "strive", "striving", "strong", "stronger", "success",
    "succeed", "times", "tough", "true", "trying", "work", "working",
];
/// A statement that holds only if something else does.
const HYPOTHESES: &[&str] =
    &["if i were|was|could|had", "would have been", "i wish", "what if", "imagine if", "in theory", "hypothetically", "suppose"];
/// Talk about an assistant or about the conversation itself.
#[rustfmt::skip]
const ABOUT_TALK: &[&str] = &[
    "this conversation|chat|talk", "your answer|response|reply|message|question", "my last? prompt|question|message", "as an ai",
    "language model", "you said|mentioned|asked", "you told me", "i asked you", "as|like i said", "rephrase",
    "talk|talking|chat|chatting|hear|hearing to|with|from you", "catch|catching up",
];

/// Whether a statement is not worth remembering. Questions have been left out before.
pub fn is_talk(lowers: &[&str], signals: &Signals) -> bool {
    let exhorts = begins_any(lowers, EXHORTATIONS) || lowers.contains(&"let's");
    let vague = ["something", "stuff", "things", "experience", "news"].iter().any(|word| lowers.contains(word));
    // "I'll keep going": a resolve without an object.
    let resolves = signals.says(&[
        "keep|keeping on? going|pushing|trying|fighting|moving|chasing|dreaming|grinding|growing|hustling|improving|learning|reaching|shining|striving|working|at|up|it",
        "keep it|that|this in mind",
        "let anything|anyone|nothing|it|that",
        "a? lot to learn",
        "determined|excited|hoping|want|going|ready to make a? positive|big|real? difference|impact",
        "determined|excited|going|ready to work hard",
        "make|chase|chasing|follow|following my dream|dreams|goals",
        "focus|focusing on success|goals|what|why|myself",
        "never quit",
        "not quit",
        "stay|staying positive|strong|focused|motivated|determined",
        "never|not give up",
    ]);
    let own = signals.content.saturating_sub(lowers.iter().filter(|word| RESOLVES.contains(word)).count());
    let announces = vague && signals.says(&["happened|happening", "going on"]) && signals.concrete == 0;
    let empty = announces
        || resolves && own < RESOLVE_MIN && signals.concrete == 0 && !signals.is(Sort::Relation)
        || vague && signals.content < TOPICAL_MIN && signals.concrete == 0;
    let addressed = signals.second_person && (!signals.own_subject || is_reaction(signals));
    let conditional = signals.opens(&["if|imagine|suppose|unless"]);
    // "Here's a photo of my boat": it says what it shows.
    let presents = presents(lowers);
    addressed
        || conditional
        || exhorts
        || praises(lowers, signals)
        || empty
        || signals.commands && !presents
        || signals.opens(SMALL_TALK) && !presents
        || signals.opens(COURTESY) && !signals.opens(BELIEFS)
        || signals.says(TRUTHS) && signals.concrete == 0
        || signals.says(HYPOTHESES)
        || signals.says(ABOUT_TALK)
        || signals.says(LAST_TALK) && (signals.opens(LAST_TALK) || signals.content < TALKED_MIN)
}

/// Whether a sentence shows something and says what it is, or whose: "Here's a photo of my boat", "here's one of my cakes".
pub fn presents(lowers: &[&str]) -> bool {
    let of =
        |at: usize| lowers.get(at + 1).is_some_and(|next| !matches!(*next, "it" | "them" | "that" | "this" | "these" | "those" | "what"));
    let says = lowers.iter().enumerate().any(|(at, word)| matches!(*word, "of" | "from") && of(at));
    begins_any(lowers, &["here's|here a|an|another|one|some photo|photos|pic|pics|picture|pictures|of", "here's|here my|our"])
        && (says || lowers.len() > 3)
}

/// Whether a sentence only says how something that was mentioned or shown seems: "Your boat sounds lovely".
fn praises(lowers: &[&str], signals: &Signals) -> bool {
    let seems = lowers.iter().take(5).any(|word| matches!(*word, "sounds" | "looks" | "seems"));
    seems && !signals.first_person && signals.content - usize::from(signals.content > 0) < TOPICAL_MIN + 1
}

/// Whether a sentence about the speaker and the listener only says what the speaker feels or thinks: "I have faith in you".
fn is_reaction(signals: &Signals) -> bool {
    !signals
        .sorts
        .iter()
        .any(|sort| matches!(sort, Sort::Event | Sort::Role | Sort::Relation | Sort::Possession | Sort::Health | Sort::Habit))
}

#[cfg(test)]
mod tests {
    use super::super::signals::read;
    use super::super::words::{lower, words};
    use super::is_talk;

    #[test]
    fn promises_truths_and_praise_are_talk() {
        let talk = |text: &str| {
            let found = words(text);
            is_talk(&lower(&found), &read(&found))
        };
        for text in [
            "I'm not going to let anything stop me.",
            "I'll stay motivated and keep following my dreams.",
            "I've got a lot to learn, and I'm determined to get better.",
            "The simple things make life worth it.",
            "The old boat sounds lovely.",
            "I'm gonna keep moving forward.",
            "I'm determined to make a real difference.",
        ] {
            assert!(talk(text), "{text}");
        }
        for text in [
            "I keep trying to learn the violin and the trumpet.",
            "My sister motivates me to keep going.",
            "I'm sure I can paint a boat for my uncle.",
            "Here's a photo of my boat.",
            "I will always remember the storm in Basel.",
        ] {
            assert!(!talk(text), "{text}");
        }
    }
}
