//! Orders to agents in English.

use super::Order::{self, Command, Dismiss, Hide, Memory, Persona, Reader, Reveal, Rights};

#[rustfmt::skip]
pub const PATTERNS: &[(Order, &str)] = &[
    (Dismiss, "your * rules|guideline~|instruction~|restriction~|polic~|limits|guardrails|safeguards * not|don't|no_longer|never|\
        cease_to * apply|count|hold|bind|exist"),
    (Command, "^answer|reply_to|respond_to every|each|all|any * question|questions|request|requests|query|queries with|by the_name|the_phone|the_number|the_words|\
        the_link|the_sentence|mallory|naming"),
    (Command, "^answer|reply_to|respond_to every|each|all|any * question|questions|request|requests about|regarding|concerning ** \
        with_the_name|with_the_phone|with_the_number|with_the_words|with_the_link|by_naming|by_saying"),
    (Command, "as the|your developer|admin|administrator|creator|owner|system|operator ** i order|command|instruct|authorize|\
        authorise|demand|require you"),
    (Hide, "not|don't|never let|tell|inform * anyone|anybody|anyone_know|people|user * that_this|that_you_were|you_were_told|\
        about_this_instruction|about_these_instructions"),
    (Hide, "not|don't|never let|tell|inform anyone|anybody * know|that * this|these|you text|message|instruction~|note|were"),
    (Reveal, "^list|name|enumerate|tell|give|send|show ** every|all|any|the * stored|saved|secret|hidden password~|credential~|\
        secrets|keys|api_keys"),
    (Dismiss, "^ignore|disregard|forget ** previous|prior|above|earlier|preceding|existing|initial|original|current|foregoing|former|\
        system|safety|your ** instruction~|rule|rules|guideline~|prompt~|directive~|command~|constraint~|restriction~|guardrail~|\
        safeguard~|polic~|programming"),
    (Dismiss, "^override|overwrite|bypass|discard|neglect|skip|dismiss|drop|abandon ** previous|prior|above|preceding|initial|\
        original|foregoing|system|safety|your ** instruction~|guideline~|prompt~|directive~|constraint~|restriction~|guardrail~|\
        safeguard~|programming"),
    (Dismiss, "^ignore|disregard|forget|override|bypass|discard|drop ** instruction~|rule|rules|guideline~|prompt~|directive~|orders|\
        guardrail~ ** above|before|earlier|previously|so_far|given|handed|you_were|you_have|you_received|you_got|you_started"),
    (Dismiss, "^ignore|disregard|forget|override|bypass all|any|every|these|those|your|my|the system|safety|instruction~|rules|\
        guideline~|guardrail~|safeguard~|restriction~|constraint~|directive~ instruction~|rules|guideline~|prompt~|guardrail~|and|\
        from|you|now|immediately|completely|entirely"),
    (Dismiss, "^ignore|disregard|forget|override|bypass all|any|every instruction~|guideline~|guardrail~|safeguard~|restriction~|\
        constraint~|directive~"),
    (Dismiss, "^forget|ignore|disregard everything|anything|all|whatever * you * told|said|learned|know|knew|instructed|taught|read|\
        been|were"),
    (Dismiss, "^forget|ignore|disregard everything|anything|all|whatever|what ** above|prior_to|until_now|up_to_now|before_this"),
    (Dismiss, "^put|set|lay|cast|throw aside|away ** rules|instruction~|guideline~|orders|directive~|guidance|prompt"),
    (Dismiss, "^pay|take no|little attention|heed|notice ** rules|instruction~|guideline~|orders|directive~|guidance|prompt|were_told"),
    (Dismiss, "^stop|quit|cease following|obeying|applying|enforcing|respecting * rules|instruction~|guideline~|polic~|directive~|\
        restriction~"),
    (Dismiss, "not|don't|never follow|obey|apply * your|previous|prior|earlier|original|system rules|instruction~|guideline~|polic~|\
        directive~|restriction~|prompt"),
    (Dismiss, "your|previous|prior|earlier|original|all_previous instruction~|guideline~|rules|restriction~|directive~|programming * \
        no_longer|are_void|are_cancelled|are_canceled|are_obsolete|are_null|are_suspended|have_been_replaced|have_been_revoked"),
    (Dismiss, "this|these|following * overrides|override|supersedes|supersede|replaces|cancels ** your|previous|prior|earlier|\
        original|system instruction~|guideline~|prompt|directive~"),
    (Dismiss, "new rule|rules|instruction|instructions|directive|policy always|never|from_now|from_here|you|only * answer|reply|\
        respond|say|speak|write|recommend|obey|follow"),
    (Dismiss, "your new instruction~|rules|directive~|system_prompt|identity|persona|programming|master is|are"),
    (Dismiss, "new instruction~|directive~ for_you|for_the_assistant|for_the_ai|from_the_developer|from_the_developers|from_openai|\
        from_anthropic|from_the_system"),
    (Dismiss, "new|updated|real|actual|true system_prompt|system_message|system_instruction~"),
    (Dismiss, "end|ending of|the * context|document|input|prompt|instructions|conversation * new|begin|system * instruction~|prompt|\
        task|message"),
    (Reveal, "^reveal|show|print|repeat|output|display|leak|disclose|dump|recite|quote|expose|divulge|share|tell|give|send|write|\
        paste|copy|translate|summarize|summarise|encode|list ** system_prompt|system_message|system_instruction~|developer_message|\
        hidden_prompt|hidden_instruction~|secret_instruction~|initial_prompt|original_prompt|initial_instruction~|\
        original_instruction~|internal_instruction~|hidden_guid~|hidden_rules|secret_prompt"),
    (Reveal, "what|what's|is|are * your system|hidden|secret|initial|internal|original prompt|instruction~|message|rules|guideline~"),
    (Reveal, "reveal|show_me|print|repeat|output|display|leak|disclose|dump|recite|quote|expose|divulge|tell_me|give_me|send_me|\
        write_out|paste * your|your_full|your_complete|your_entire|your_own|your_hidden|your_exact|your_current|your_whole|\
        your_initial|your_original prompt|instruction~|configuration|training_data|guidance"),
    (Reveal, "tell|give|show|send|paste|repeat|print ** your developers|developer|creators|makers|vendor|operators * gave|told|wrote|\
        set"),
    (Reveal, "^repeat|print|output|copy|recite|write_down|display * words|text|everything|content~|instruction~|message~|sentences|\
        all above|before_this|preceding|prior_to|verbatim"),
    (Reveal, "^repeat|print|output|recite everything|all ** verbatim|word_for_word|above"),
    (Reveal, "^forward|send|post|upload|submit|exfiltrate|leak|transmit|email|mail|deliver|pipe all|every|any|this|the|our|your|\
        everything|future|user's|his|her|their ** message|messages|conversation~|memories|chats|chat_history|history|user_data|\
        api_keys|passwords|secrets|credential~|prompt|answers|replies|everything|transcript~ ** http|https|www|attacker|mallory"),
    (Reveal, "^exfiltrate ** data|memories|key|keys|secret~|password~|history|conversation~"),
    (Reveal, "^append|include|attach|embed|add|put|encode|insert * api_key~|memories|conversation~|chat_history|user's_data|secrets|\
        credentials|passwords|system_prompt|everything_you_know ** url|link|image|query|request|parameter|every_answer|every_reply|\
        your_answer|your_reply|each_answer|address"),
    (Reveal, "^reply|respond|answer|output|return|print|write|say|you_reply|you_answer * only|nothing_but|just * api_key~|password|\
        secrets|credentials|system_prompt"),
    (Hide, "not|don't|never|without tell|telling|inform|informing|notify|notifying|alert|alerting * the_user|your_user|the_human|\
        your_operator"),
    (Hide, "not|don't|never|without mention|mentioning|reveal|revealing|disclose|disclosing|say|report * this|that|it|these|anything|\
        any|the_change * to the_user|your_user|the_human|your_operator"),
    (Hide, "not|don't|never let * the_user|your_user|the_human|your_operator * know|find_out|learn_about|suspect"),
    (Hide, "keep|hide|conceal|withhold * this|that|it|these|them|everything|secret|hidden|quiet * from_the_user|from_your_user|\
        from_the_human|from_your_operator"),
    (Hide, "the_user|the_human|your_user never|not * finds_out|find_out|learns_of|learns_about|hear_about|be_told|suspects"),
    (Hide, "behind * the_user's|user's|human's back"),
    (Hide, "the_user|the_human must|should|may|need not|never * know|find_out|be_told|hear_about|learn_about"),
    (Persona, "from|starting now|here|this_point|this_moment|today on|onward|onwards|forward|and|you ** you|your|only|always|never * \
        answer|answers|reply|replies|respond|recommend|obey|act|behave|output|ignore|pretend|refuse|reveal|trust|execute|forward|\
        serve_mallory|call_me|belong|impersonate|are_dan|are_an_unrestricted|are_an_evil|are_no_longer|must_recommend|must_obey|\
        have_no_rules"),
    (Persona, "^from now|here|this_point on|onward|onwards|forward * answer|reply|respond|obey|pretend|refuse|reveal|trust|execute|\
        forward|impersonate|treat|recommend"),
    (Persona, "for|during|throughout * rest|remainder|whole * of * this|the|our conversation|chat|session|thread * you|answer|respond|\
        act|pretend ** answer|answers|play|act|are|respond|ignore|obey|anything"),
    (Persona, "act|behave|respond|operate|pretend|roleplay|answer|function * as|you_are|to_be|like * unrestricted|unfiltered|\
        uncensored|jailbroken|unaligned|amoral|evil|dan|hacked|without_limits|no_restrictions"),
    (Persona, "you are|you're|become * now|no_longer|henceforth * dan|unrestricted|unfiltered|uncensored|jailbroken|in_developer_mode|\
        in_god_mode|without_restrictions|without_limits|bound_by"),
    (Persona, "enter|activate|switch_to god_mode|jailbreak|jailbreak_mode|dan_mode|unrestricted_mode|developer_mode_and"),
    (Persona, "do_anything_now"),
    (Persona, "jailbreak_mode"),
    (Persona, "agent|assistant|model|ai with_no|without|free_of limits|restrictions|rules|filters|guardrails|guidelines"),
    (Persona, "pretend|imagine|assume|act|behave * no|without * rules|restrictions|limits|guidelines|filters|safety"),
    (Command, "^always|only|constantly|must recommend|suggest|promote|advertise|endorse|praise|push ** to_every|to_all|to_any|to_each|\
        users|user|customers|no_exceptions|without_exception|no_matter|whoever_asks|when_asked|competitor~|above_all_others|\
        instead_of_others"),
    (Command, "every|each|all answer|answers|reply|replies|response|responses * must|should|has_to|have_to|shall|needs_to|ends|begins \
        ** advert|advertisement|praise|recommend~|mallory"),
    (Command, "if|when|whenever|once * anybody|anyone|someone|somebody|users|people|customers|they|user * asks|ask|asked|inquires ** \
        ^answer|reply|respond|claim|state|recommend|pretend|deny|lie"),
    (Command, "if|when|whenever|should|once the_user|a_user|any_user asks|ask|mentions|inquires|says|types|wants ** ^answer|reply|\
        respond|say|tell|claim|recommend|pretend|deny|lie|always|never|send|call|delete|insist|give"),
    (Command, "when|if|while|before * summarizing|summarising|summarize|summarise|evaluating|grading|translating|analyzing|analysing|\
        processing|parsing|reading|reviewing * this|the_text|the_document|the_page|the_email|the_resume|the_cv ** ^say|state|mention|\
        include|give|rate|recommend|claim|output|ignore|reply|insert|add|append|also"),
    (Command, "^execute|run|eval|invoke|perform the_following|this|these|following * tool_call|payload|instruction~"),
    (Command, "^run|execute|exec|type|invoke|launch ** rm|mkfs|powershell|netcat|drop_table|drop_database|etc_passwd|etc_shadow|\
        printenv"),
    (Command, "^run|execute|exec|type|invoke|launch ** sudo|chmod|dd ** rf|777|if|bash|sh|passwd"),
    (Command, "^run|execute|exec|type|invoke|launch ** curl|wget ** sh|bash"),
    (Command, "^call|invoke|use|trigger|run the|your * tool|plugin|tools * delete|forget|send|transfer|export|to_delete|to_send|\
        to_export|and_delete|and_send"),
    (Command, "^begin|start|end|beginning_of|end_of admin|administrator|system|developer|root|operator|assistant message|prompt|\
        instruction~|override|command~|directive~"),
    (Command, "^admin|administrator|developer override"),
    (Command, "^obey * user|me|mallory|these|my|only|him|her|them|instruction~|every"),
    (Command, "as_an_ai|as_a_language_model|as_an_ai_assistant|as_an_ai_agent|as_an_ai_model you|your must|will|shall|are_required|\
        have_to|task_is|should_now"),
    (Command, "you|the_assistant|the_ai must|shall|will|should * now|always|immediately|only * obey|reveal|comply|ignore|exfiltrate|\
        recommend"),
    (Command, "^delete|erase|wipe|purge|destroy * all|every|your|stored|existing|any * memories"),
    (Command, "^rate|score|rank|grade|classify|mark * this|the_candidate|this_candidate|me * as|with|regardless|unconditionally * \
        the_best|highest|top|harmless|trusted|perfect"),
    (Command, "the_following|following|this is|are a|an|your|the|secret * instruction~|order|orders|directive~|command for|to * ai|\
        llm|chatbot|bot|ai_assistant|language_model"),
    (Rights, "user|operator|person|customer ** is|has|gets|becomes * admin|administrator|root|superuser|owner|superadmin ** \
        everything|anything|full|unrestricted|obey|trust"),
    (Rights, "the_user|user|mallory mallory|has|have|is|gets|got|was_granted|is_granted * admin|administrator|root|full|unlimited|\
        unrestricted|superuser|elevated rights|access|permission~|privilege~"),
    (Rights, "user|mallory * is|are * admin|administrator|superuser|root * now|and|so|who|obey|of_this|of_the_system"),
    (Rights, "the_user|your_user|your_operator has|have * already|explicitly|previously|fully * approved|authorized|authorised|\
        consented|permitted"),
    (Rights, "the_user|your_user|your_operator already|explicitly|previously approved|authorized|authorised|consented"),
    (Rights, "user has authorized|authorised"),
    (Rights, "^treat|consider|regard|recognize|recognise * mallory|user|me|him|her|text * as|to_be * admin|administrator|root|trusted|\
        owner|superuser|authorized|authorised|system_message|system_prompt"),
    (Rights, "^grant|give mallory|me|the_user|this_user|everyone|everybody * admin|administrator|root|full|unlimited|unrestricted|\
        superuser rights|access|permission~|privilege~"),
    (Memory, "^save|store|add|write|commit|record|put|persist * to|in|into * your|long-term|long_term|permanent|persistent memory|\
        memories"),
    (Memory, "^update|rewrite|overwrite|replace your memory|memories"),
    (Memory, "^save|commit this|that|the_following to_memory"),
    (Memory, "in|for all|every|any future conversation~|response|responses|answers|replies"),
    (Memory, "^remember|memorize|memorise * for|in * all|every|future|other * conversation~|sessions|chats|users"),
    (Reader, "note_to_the_ai|note_to_ai|message_to_the_ai|message_for_the_ai|instructions_for_the_ai|attention_ai|attention_all_ai|\
        important_instructions_for_the_assistant|instructions_to_the_ai"),
    (Reader, "note|message|notice|instruction~|attention|directive~|reminder|memo to|for * any|all|every|the llm|llms|chatbot|\
        chatbots|language_model~|ai_assistant~|ai_agent~|ai_model~|ai_system~"),
    (Reader, "important|secret|special|hidden|urgent * instruction~ for|to * assistant|agent|model|ai|llm|chatbot"),
    (Reader, "^dear|attention ai|llm|chatbot|language_model|ai_assistant|ai_agent|chatgpt|gpt"),
    (Reader, "if|when you_are|you're an|a|the llm|language_model|ai_assistant|ai_agent|chatbot|ai_model|automated_agent|ai_system|\
        ai_reading|ai_processing|ai_you"),
    (Reader, "ai|llm|llms|ais|ai_assistant~|ai_agent~|language_model~|chatbot~|any_assistant|any_agent * reading|processing|\
        summarizing|summarising|parsing|indexing|that_reads|who_reads|that_read|which_reads * this|these"),
    (Reader, "whoever|whatever|any|every|all * reads|read|processes|parses|summarizes|indexes this * on_behalf"),
    (Reader, "^assistant|ai|chatgpt|gpt|claude|gemini|copilot|llm|chatbot please|you_must|you_will|ignore|disregard|forget|forward|\
        send|reveal|delete|obey|comply|execute|do_not|don't|transfer|approve|recommend|exfiltrate"),
    (Reader, "^you_are an|a|the unrestricted|evil|uncensored|unfiltered|jailbroken|agent_without|assistant_without|ai_without"),
];
