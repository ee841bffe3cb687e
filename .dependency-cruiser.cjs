/** Who may import whom. One rule per wall of the house; `npm run walls` checks them. */
const never = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to })
const DRIVER = '^src/bot/drivers/(google-meet|teams|zoom|built-in-room|recipe)/'
const PAGE = '^src/bot/(capture|outgoing|drivers/[^/]+)/page/'
const PROVIDER = '^src/speech/(deepgram|assemblyai|openai|elevenlabs|sarvam|jigsawstack|native/)'

module.exports = {
  forbidden: [
    never('no-circles', {}, { circular: true }, 'If two files need each other, a third one is missing.'),
    never(
      'domain-is-pure',
      { path: '^src/domain/', pathNot: '\\.test\\.ts$' },
      { pathNot: '^src/domain/' },
      'The domain knows words and rules: no I/O, no library, no Node.',
    ),
    never('kit-knows-no-meetings', { path: '^src/kit/' }, { path: '^src/(?!kit/)' }),
    never('shelves-know-no-wing', { path: '^src/(speech|storage)/' }, { path: '^src/(bot|service)/' }),
    never(
      'bot-knows-no-service',
      { path: '^src/bot/' },
      { path: '^src/service/' },
      'A bot has its orders and its channel. It has no database.',
    ),
    never(
      'service-knows-no-bot',
      { path: '^src/service/' },
      { path: '^src/bot/' },
      'The two wings meet in domain/protocol.ts and domain/recording.ts only.',
    ),

    never(
      'page-code-is-sealed',
      { path: PAGE },
      { pathNot: [PAGE, '^src/bot/capture/wire\\.ts$'], dependencyTypesNot: ['type-only'] },
      'This code runs inside the meeting page. It can reach nothing of ours but types.',
    ),
    never(
      'page-code-is-bundled',
      { path: '^src/', pathNot: [PAGE, '\\.test\\.ts$'] },
      { path: PAGE, dependencyTypesNot: ['type-only'] },
      'It is injected as text, never imported.',
    ),
    never(
      'drivers-are-strangers',
      { path: '^src/bot/drivers/([^/]+)/' },
      { path: DRIVER, pathNot: '^src/bot/drivers/$1/' },
      'What two platforms share goes into web-client/.',
    ),
    never('only-the-registry-picks-a-driver', { path: '^src/', pathNot: [DRIVER, '^src/bot/drivers/registry\\.ts$'] }, { path: DRIVER }),
    never('only-the-registry-picks-a-provider', { path: '^src/', pathNot: [PROVIDER, '^src/speech/registry\\.ts$'] }, { path: PROVIDER }),

    never('db-is-the-cellar', { path: '^src/service/db/' }, { path: '^src/service/(?!db/)' }),
    never(
      'delivery-and-accounts-stand-on-db',
      { path: '^src/service/(delivery|accounts)/' },
      { path: '^src/service/(api|media|calendar|fleet)/' },
    ),
    never(
      'signing-in-stands-on-accounts',
      { path: '^src/service/sso/' },
      { path: '^src/service/(?!sso/|accounts/|db/)' },
      'It says who a bot is, to whoever may ask: no route, no fleet.',
    ),
    never('fleet-stands-below', { path: '^src/service/fleet/' }, { path: '^src/service/(api|media|calendar)/' }),
    never(
      'media-and-calendar-are-strangers',
      { path: '^src/service/(media|calendar)/' },
      { path: '^src/service/(api|media|calendar)/', pathNot: '^src/service/$1/' },
    ),
    never(
      'one-writer-of-status',
      { path: '^src/', pathNot: '^src/service/fleet/transition\\.ts$' },
      { path: '^src/service/db/bot-status\\.ts$' },
      'A status changes by a row of the lifecycle table, in one place.',
    ),

    never('sql-lives-in-db', { path: '^src/', pathNot: '^src/service/db/' }, { path: '^(node_modules/)?(pg|kysely)(/|$)' }),
    never(
      'http-lives-in-api',
      { path: '^src/', pathNot: '^src/service/api/' },
      { path: '^(node_modules/)?(fastify|@fastify|typebox)(/|$)' },
    ),
    never('the-command-line-is-the-roof', { path: '^src/(?!cli\\.ts$|service/cli/)' }, { path: '^src/(cli\\.ts$|service/cli/)' }),
    never(
      'the-room-page-is-sealed',
      { path: '^src/service/room/page/' },
      { pathNot: ['^src/service/room/page/', '^src/service/room/wire\\.ts$'] },
      'This code runs in a browser. What it shares with the service is the wire.',
    ),
    never(
      'the-room-page-is-served',
      { path: '^src/', pathNot: '^src/service/room/page/' },
      { path: '^src/service/room/page/' },
      'It is sent as text, never imported.',
    ),
    never('the-room-stands-alone', { path: '^src/service/room/' }, { path: '^src/service/(?!room/)' }),
    never(
      'one-reader-of-the-environment',
      { path: '^src/service/(?!(cli|api)/)[^/]+/' },
      { path: '^src/service/config\\.ts$' },
      'Rooms get what they need as arguments.',
    ),
    never(
      'the-browser-lives-in-drivers',
      { path: '^src/', pathNot: '^src/bot/drivers/' },
      { path: '^(node_modules/)?(playwright|playwright-core|puppeteer-core)(/|$)' },
    ),

    never(
      'sims-imitate-they-do-not-peek',
      { path: '^sims/' },
      { path: '^src/bot/' },
      'A simulator that shared a selector with the driver would prove nothing.',
    ),
    never('nothing-ships-a-sim', { path: '^src/', pathNot: '\\.test\\.ts$' }, { path: '^(sims|test)/' }),
    never('web-speaks-http', { path: '^web/' }, { path: '^src/', pathNot: '^src/service/api/schemas/' }),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '^web/src/api/'] },
  },
}
