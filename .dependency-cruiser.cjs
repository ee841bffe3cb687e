/** The allowed imports. The name of a rule says what holds; `npm run walls` checks all of them. */
const never = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to })
const DRIVER = '^src/bot/drivers/(?!browser-meeting/)[^/]+/'
const PAGE = '^src/bot/(capture|outgoing|worker|drivers/[^/]+)/page/'
const PROVIDER = '^src/speech/(vendors|native)/'
/** They start PostgreSQL, the workers, the display of headed browsers, and recognisers. */
const LONG_LIVED =
  '^src/(service/postgres/server|service/fleet/workers/worker-process|bot/drivers/display|speech/native/recogniser-pool)\\.ts$'
const TEST = '\\.test\\.ts$'

module.exports = {
  forbidden: [
    never('no-import-cycles', {}, { circular: true }, 'Move what two files need from each other into a third one.'),

    // The folders of src.
    never(
      'domain-imports-nothing',
      { path: '^src/domain/', pathNot: TEST },
      { pathNot: '^src/domain/' },
      'Domain files hold types, tables and pure functions: no I/O, no library, no Node.',
    ),
    never('kit-imports-only-kit', { path: '^src/kit/' }, { path: '^src/(?!kit/)' }, 'The kit is for any program, not only for meetings.'),
    never(
      'speech-and-storage-import-no-bot-room-or-service',
      { path: '^src/(speech|storage)/' },
      { path: '^src/(bot|room|service)/' },
      'The bot and the service both use them.',
    ),
    never(
      'room-imports-only-domain-and-kit',
      { path: '^src/room/' },
      { path: '^src/(?!room/|domain/|kit/)' },
      'The service starts the built-in room. The room needs nothing of the service.',
    ),
    never(
      'bot-imports-no-service',
      { path: '^src/bot/' },
      { path: '^src/(room|service)/' },
      'A worker has its orders and its channel, and no database.',
    ),
    never(
      'service-imports-no-bot',
      { path: '^src/service/' },
      { path: '^src/bot/' },
      'They share domain/protocol.ts and domain/recording.ts only.',
    ),
    never(
      'src-imports-no-sims-or-tests',
      { path: '^src/', pathNot: TEST },
      { path: '^(sims|simulation|test)/' },
      'None of them is part of the installed product.',
    ),
    never(
      'sims-import-no-bot',
      { path: '^sims/' },
      { path: '^src/bot/' },
      'A simulator that takes a selector from the driver cannot prove that the selector is right.',
    ),
    never(
      'simulation-imports-no-bot-sims-or-tests',
      { path: '^simulation/' },
      { path: '^(src/bot|sims|test)/' },
      'It runs the service with simulated workers, and takes nothing from the real ones.',
    ),
    never(
      'web-imports-only-api-schemas',
      { path: '^web/' },
      { path: '^src/', pathNot: '^src/service/api/.+/schema\\.ts$' },
      'The dashboard uses the HTTP API like any other client.',
    ),

    // Code that runs in a page.
    never(
      'bot-page-imports-only-page-code-and-types',
      { path: PAGE },
      { pathNot: [PAGE, '^src/bot/capture/(wire|batch)\\.ts$'], dependencyTypesNot: ['type-only'] },
      'It runs inside the meeting page, where Node and the rest of the bot do not exist.',
    ),
    never(
      'bot-page-is-never-imported',
      { path: '^src/', pathNot: [PAGE, TEST] },
      { path: PAGE, dependencyTypesNot: ['type-only'] },
      'It is bundled and injected as text.',
    ),
    never(
      'room-page-imports-only-page-code-and-the-wire',
      { path: '^src/room/page/' },
      { pathNot: ['^src/room/page/', '^src/room/wire\\.ts$'] },
      'It runs in a browser.',
    ),
    never(
      'room-page-is-never-imported',
      { path: '^src/', pathNot: '^src/room/page/' },
      { path: '^src/room/page/' },
      'It is bundled and served as text.',
    ),

    // Drivers and speech providers.
    never(
      'drivers-import-no-other-driver',
      { path: '^src/bot/drivers/([^/]+)/' },
      { path: DRIVER, pathNot: '^src/bot/drivers/$1/' },
      'Put code that two platforms share into browser-meeting/.',
    ),
    never(
      'only-the-registry-imports-drivers',
      { path: '^src/', pathNot: [DRIVER, '^src/bot/drivers/registry\\.ts$'] },
      { path: DRIVER },
      'drivers/registry.ts lists the installed drivers.',
    ),
    never(
      'only-the-registry-imports-speech-providers',
      { path: '^src/', pathNot: [PROVIDER, '^src/speech/registry\\.ts$'] },
      { path: PROVIDER },
      'speech/registry.ts lists the speech providers.',
    ),
    never(
      'only-drivers-import-the-browser',
      { path: '^src/', pathNot: '^src/bot/drivers/' },
      { path: '^(node_modules/)?(playwright|playwright-core|puppeteer-core)(/|$)' },
      'The rest of the bot uses the MeetingDriver interface.',
    ),

    // The layers of the service, lowest first.
    never(
      'postgres-imports-no-other-service-folder',
      { path: '^src/service/postgres/' },
      { path: '^src/service/(?!postgres/)' },
      'It starts a database server and knows no table.',
    ),
    never('db-imports-no-other-service-folder', { path: '^src/service/db/' }, { path: '^src/service/(?!db/)' }, 'It is the lowest layer.'),
    never(
      'delivery-and-accounts-import-no-higher-layer',
      { path: '^src/service/(delivery|accounts)/' },
      { path: '^src/service/(api|media|calendar|fleet)/' },
      'They use db only.',
    ),
    never(
      'sso-imports-only-accounts-and-db',
      { path: '^src/service/sso/' },
      { path: '^src/service/(?!sso/|accounts/|db/)' },
      'Single sign-on needs no route and no fleet.',
    ),
    never(
      'fleet-imports-no-higher-layer',
      { path: '^src/service/fleet/' },
      { path: '^src/service/(api|media|calendar)/' },
      'Media and calendar start work in the fleet, never the reverse.',
    ),
    never(
      'media-and-calendar-import-neither-api-nor-each-other',
      { path: '^src/service/(media|calendar)/' },
      { path: '^src/service/(api|media|calendar)/', pathNot: '^src/service/$1/' },
      'They share data through db.',
    ),
    never(
      'nothing-imports-the-command-line',
      { path: '^src/(?!cli\\.ts$|service/cli/)' },
      { path: '^src/(cli\\.ts$|service/cli/)' },
      'It is the highest layer.',
    ),

    // One place for each resource.
    never(
      'only-transition-writes-a-status',
      { path: '^src/', pathNot: '^src/service/fleet/bot/transition\\.ts$' },
      { path: '^src/service/db/fleet/bot-status\\.ts$' },
      'Each change of status is a row of the lifecycle table.',
    ),
    never(
      'only-db-and-postgres-import-sql',
      { path: '^src/', pathNot: '^src/service/(db|postgres)/' },
      { path: '^(node_modules/)?(pg|kysely)(/|$)' },
      'Other folders call a function of db.',
    ),
    never(
      'only-long-lived-processes-are-started-without-kit-process',
      { path: '^src/', pathNot: [TEST, LONG_LIVED, '^src/kit/process\\.ts$'] },
      { path: '^(node:)?child_process$', dependencyTypesNot: ['type-only'] },
      'A program that ends is run by runProcess or streamProcess of kit/process.ts.',
    ),
    never(
      'only-api-imports-the-http-server',
      { path: '^src/', pathNot: '^src/service/api/' },
      { path: '^(node_modules/)?(fastify|@fastify|typebox)(/|$)' },
      'Routes and schemas live in service/api.',
    ),
    never(
      'service-folders-import-no-config',
      { path: '^src/service/(?!(cli|api)/)[^/]+/' },
      { path: '^src/service/config\\.ts$' },
      'Settings come in as arguments.',
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '^web/src/api/'] },
  },
}
