//! Invented texts: memories and questions in five languages, near-duplicates among them. The same number always gives the same text.

use wire::{MemoryKind, RememberRequest, Source};

/// Every so many memories, one says the same as the one before it, with another number.
const REPEATED: u64 = 10;
/// Sections of a thing: each is a topic.
const SECTIONS: u64 = 20;
/// Channels in which memories are said.
const CHANNELS: u64 = 40;
/// Numbers in texts have at most five digits: longer ones look like cards and telephones.
const NUMBERS: u64 = 99_991;

/// Things of one language, and what is said of them: what comes before a number, and what comes after it.
struct Tongue {
    things: [&'static str; 8],
    facts: [(&'static str, &'static str); 8],
}

const TONGUES: [Tongue; 5] = [
    Tongue {
        things: [
            "The north gate",
            "The blue crane",
            "The ferry to Lindhaven",
            "The paper archive",
            "The glass workshop",
            "The seed store",
            "The harbour tram",
            "The old observatory",
        ],
        facts: [
            ("is serviced every", "days by the workshop team"),
            ("needs", "metres of new cable before winter"),
            ("was moved to hall", "after the spring flood"),
            ("has", "seats since the rebuild"),
            ("costs", "crowns a month in upkeep"),
            ("is measured against mark", "on the west wall"),
            ("runs on plan", "until the bridge opens again"),
            ("keeps", "crates of tools behind the second door"),
        ],
    },
    Tongue {
        things: [
            "Die Wetterstation",
            "Der Kartensaal",
            "Das Bootshaus",
            "Die Druckerei am Markt",
            "Der Kräutergarten",
            "Das Uhrwerk im Turm",
            "Die Färberei",
            "Der Lastenaufzug",
        ],
        facts: [
            ("wird alle", "Tage von der Werkstatt gewartet"),
            ("braucht", "Meter Schlauch für den Sommer"),
            ("steht seit dem Umbau in Halle", "neben dem Brunnen"),
            ("hat", "Plätze für Gäste aus dem Umland"),
            ("kostet", "Kronen im Monat an Unterhalt"),
            ("folgt dem Fahrplan", "bis zum Ende der Bauarbeiten"),
            ("lagert", "Kisten Papier im Keller"),
            ("verliert", "Liter Wasser in jeder Woche"),
        ],
    },
    Tongue {
        things: [
            "Le moulin du canal",
            "La serre des orangers",
            "Le dépôt de verre",
            "La barque du passeur",
            "Le grenier à sel",
            "La salle des cartes",
            "Le phare de la pointe",
            "La fonderie de cloches",
        ],
        facts: [
            ("est révisé tous les", "jours par l'équipe du port"),
            ("demande", "mètres de corde avant l'hiver"),
            ("a été déplacé au quai", "pendant les travaux"),
            ("compte", "places depuis la rénovation"),
            ("coûte", "couronnes par mois en entretien"),
            ("suit le programme", "jusqu'à la fête des moissons"),
            ("garde", "caisses d'outils sous l'escalier"),
            ("accueille", "visiteurs pendant la semaine bleue"),
        ],
    },
    Tongue {
        things: [
            "El taller de barcos",
            "La imprenta vieja",
            "El huerto de la colina",
            "La torre del reloj",
            "El almacén de lana",
            "La sala de mapas",
            "El puente de cuerda",
            "La estación del valle",
        ],
        facts: [
            ("se revisa cada", "días con el equipo del puerto"),
            ("necesita", "metros de cable antes del invierno"),
            ("se trasladó a la nave", "después de la crecida"),
            ("tiene", "asientos desde la reforma"),
            ("cuesta", "coronas al mes de mantenimiento"),
            ("sigue el plan", "hasta que abra el camino nuevo"),
            ("guarda", "cajas de herramientas en el sótano"),
            ("recibe", "visitas durante la semana verde"),
        ],
    },
    Tongue {
        things: [
            "Młyn nad kanałem",
            "Stara drukarnia",
            "Ogród na wzgórzu",
            "Wieża zegarowa",
            "Skład wełny",
            "Pracownia szkła",
            "Most linowy",
            "Stacja w dolinie",
        ],
        facts: [
            ("jest sprawdzany co", "dni przez ekipę portową"),
            ("potrzebuje", "metrów kabla przed zimą"),
            ("stoi teraz w hali", "obok studni"),
            ("ma", "miejsc od czasu przebudowy"),
            ("kosztuje", "koron miesięcznie na utrzymanie"),
            ("działa według planu", "do otwarcia nowej drogi"),
            ("przechowuje", "skrzyń z narzędziami w piwnicy"),
            ("przyjmuje", "gości w zielonym tygodniu"),
        ],
    },
];

/// Spreads a number over all numbers (the finaliser of SplitMix64).
pub fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// One of a list, chosen by some bits of a number.
fn pick<T>(all: &[T], number: u64) -> &T {
    &all[(number % all.len() as u64) as usize]
}

/// A thing with a fact in one language.
fn sentence(tongue: &Tongue, choice: u64, number: u64) -> String {
    let (before, after) = pick(&tongue.facts, choice >> 8);
    format!("{} {before} {number} {after}", pick(&tongue.things, choice))
}

/// What an embedding model must know to make a vector of any text here: a part that only such texts hold, and a text that means it.
pub fn phrases() -> Vec<(&'static str, String)> {
    let things = TONGUES.iter().flat_map(|tongue| tongue.things).map(|thing| (thing, thing.to_owned()));
    let facts = TONGUES.iter().flat_map(|tongue| tongue.facts).map(|(before, after)| (after, format!("{before} {after}")));
    things.chain(facts).collect()
}

/// The memory of a number: one to three sentences about a topic.
pub fn memory(number: u64) -> RememberRequest {
    let said = if number % REPEATED == REPEATED - 1 { number - 1 } else { number };
    let choice = mix(said);
    let tongue = pick(&TONGUES, choice >> 16);
    let sentences: Vec<String> = (0..1 + (choice >> 24) % 3)
        .map(|place| sentence(tongue, choice.rotate_left(place as u32 * 20), mix(number.wrapping_add(place)) % NUMBERS))
        .collect();
    let kinds = [MemoryKind::Profile, MemoryKind::Project, MemoryKind::Artifact, MemoryKind::TaskHint];
    RememberRequest {
        topic_raw: format!("{} {}", pick(&tongue.things, choice), (choice >> 32) % SECTIONS),
        content: format!("{}.", sentences.join(". ")),
        source: Source {
            platform: (*pick(&["slack", "email", "drive"], choice >> 40)).into(),
            channel_id: Some(format!("room-{}", (choice >> 44) % CHANNELS)),
            ..Source::default()
        },
        kind: Some(*pick(&kinds, choice >> 50)),
        ..RememberRequest::default()
    }
}

/// A document of so many parts in Markdown, with the texts that follow a number.
pub fn document(number: u64, parts: u64) -> String {
    let part = |place| {
        let memory = memory(number + place);
        format!("\n## {} {place}\n\n{}\n", memory.topic_raw, memory.content)
    };
    let head = format!("# Notes {number}\n");
    std::iter::once(head).chain((0..parts).map(part)).collect()
}

/// The question of a number, about what some memories say. No two of 99,991 questions in a row are the same.
pub fn question(number: u64) -> String {
    let (tongue, choice) = (pick(&TONGUES, number), mix(number));
    let (_, after) = pick(&tongue.facts, choice >> 8);
    format!("{}: {} {after}?", pick(&tongue.things, choice), number % NUMBERS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn memories_differ_and_every_tenth_differs_only_by_its_numbers() {
        let texts: HashSet<String> = (0..2_000).map(|number| memory(number).content).collect();
        assert_eq!(texts.len(), 2_000);
        let words = |number| memory(number).content.replace(|c: char| c.is_ascii_digit(), "");
        assert_eq!((words(8), memory(8).topic_raw), (words(9), memory(9).topic_raw));
        assert_ne!(memory(8).content, memory(9).content);
        let topics: HashSet<String> = (0..2_000).map(|number| memory(number).topic_raw).collect();
        assert!((200..=800).contains(&topics.len()), "{}", topics.len());
    }

    #[test]
    fn a_document_has_a_section_for_each_part() {
        let document = document(700, 3);
        assert_eq!(document.matches("\n## ").count(), 3);
        assert!((700..703).all(|number| document.contains(&memory(number).content)), "{document}");
    }

    #[test]
    fn questions_differ_and_hold_phrases_of_memories() {
        let questions: HashSet<String> = (0..5_000).map(question).collect();
        assert_eq!(questions.len(), 5_000);
        let phrases = phrases();
        let held = |text: &str| phrases.iter().filter(|(part, _)| text.contains(part)).count();
        assert!(questions.iter().all(|question| held(question) == 2));
        assert!((0..500).all(|number| held(&memory(number).content) >= 2));
    }
}
