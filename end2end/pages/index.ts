import type { Fixtures, PlaywrightTestArgs, PlaywrightTestOptions, TestFixture } from '@playwright/test';
import { AccountsPage, UsersPage } from './accounts';
import { AgentPage, AgentsPage, ConnectPage } from './agents';
import { AuditPage } from './audit';
import { CapturePage, EventsPage, SourcePage, SourcesPage } from './capture';
import { ConsentPage } from './consent';
import { ContextComparisonPage, ContextLogPage, ContextPage, ContextPlaygroundPage } from './contexts';
import { DecidePage } from './decide';
import { DecisionsPage } from './decisions';
import { DeletePage } from './delete';
import { EmbeddingModelPage } from './embedding-model';
import { ExpectationsPage } from './expectations';
import { Frame } from './frame';
import { CandidatesPage, InboxPage, PolicyPage, QuarantinePage } from './inbox';
import { DocumentPage, KnowledgePage, RunsPage, TopologyPage, UploadPage } from './knowledge';
import { LifecyclePage } from './lifecycle';
import { MemoriesPage } from './memories';
import { MemoryPage } from './memory';
import { OverviewPage } from './overview';
import { PeoplePage, PersonPage } from './people';
import { ProjectsPage } from './projects';
import { PromptsPage } from './prompts';
import { QualityPage } from './quality';
import { DiagnosePage, HealthPage, LogPage, PlaygroundPage, RetrievalPage } from './recall';
import { SearchPage } from './search';
import { SearchPolicyPage } from './search-policy';
import { SessionPage, SessionsPage } from './sessions';
import { SignInPage } from './sign-in';
import { SuggestionsPage } from './suggestions';
import { TermPage } from './term';
import { TermsPage } from './terms';
import { UsagePage } from './usage';
import { VocabularyPage } from './vocabulary';
import { WebhooksPage } from './webhooks';

/** The page objects, by the names of their fixtures. */
const PAGES = {
  frame: Frame,
  searchPage: SearchPage,
  signIn: SignInPage,
  agents: AgentsPage,
  agentPage: AgentPage,
  connect: ConnectPage,
  accounts: AccountsPage,
  users: UsersPage,
  lifecycle: LifecyclePage,
  memories: MemoriesPage,
  memory: MemoryPage,
  deletion: DeletePage,
  audit: AuditPage,
  capture: CapturePage,
  source: SourcePage,
  sources: SourcesPage,
  sessions: SessionsPage,
  sessionPage: SessionPage,
  events: EventsPage,
  webhooks: WebhooksPage,
  inbox: InboxPage,
  candidates: CandidatesPage,
  quarantine: QuarantinePage,
  suggestions: SuggestionsPage,
  policy: PolicyPage,
  knowledge: KnowledgePage,
  document: DocumentPage,
  runs: RunsPage,
  topology: TopologyPage,
  upload: UploadPage,
  health: HealthPage,
  quality: QualityPage,
  expectations: ExpectationsPage,
  playground: PlaygroundPage,
  diagnosis: DiagnosePage,
  recalls: LogPage,
  retrieval: RetrievalPage,
  contexts: ContextLogPage,
  assembled: ContextPage,
  contextComparison: ContextComparisonPage,
  contextPlayground: ContextPlaygroundPage,
  searchPolicy: SearchPolicyPage,
  consent: ConsentPage,
  embeddingModel: EmbeddingModelPage,
  overview: OverviewPage,
  people: PeoplePage,
  person: PersonPage,
  vocabulary: VocabularyPage,
  decide: DecidePage,
  decisions: DecisionsPage,
  terms: TermsPage,
  term: TermPage,
  projects: ProjectsPage,
  prompts: PromptsPage,
  usage: UsagePage,
};

export type Pages = { [Name in keyof typeof PAGES]: InstanceType<(typeof PAGES)[Name]> };

/** A fixture for each page object. */
export const pages = Object.fromEntries(
  Object.entries(PAGES).map(([name, PageObject]) => {
    const fixture: TestFixture<Frame, PlaywrightTestArgs & PlaywrightTestOptions> = async ({ page, javaScriptEnabled }, use) =>
      use(new PageObject(page, javaScriptEnabled ?? true));
    return [name, fixture];
  }),
) as Fixtures<Pages, object, PlaywrightTestArgs & PlaywrightTestOptions>;
