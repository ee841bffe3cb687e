// Serves the OpenAPI document, which is made from the route schemas, and its docs page.
import swagger from '@fastify/swagger'
import type { Api } from '../deps.ts'
import { keptFile, REVALIDATED, sendKept } from '../kept-file.ts'
import { type Documents, docsPage } from './docs-page.ts'
import { finished, namedRoute } from './document.ts'

const ABOUT = `One API that sends a bot into a live video meeting, where it joins as a visible, named participant, records, transcribes and reports.

Every request carries \`Authorization: Token <API_KEY>\`. Every error is an \`ErrorAnswer\`: \`message\` is one sentence that names the field. The one 507, a replayed \`Idempotency-Key\`, is a success.
A 429 or 503 has \`Retry-After\`. \`X-Request-Id\` is the id of the request in the server’s logs.
Statuses, events and error reasons are not a closed set: tolerate unknown values.
The format \`line\` is text of one line without control characters.
A field or path marked with \`x-alias-of\` is an alias of the named field or operation.`

const TAGS = {
  Bots: 'Send bots into meetings, read their status and remove them.',
  Recordings: 'Recordings of a bot. Reads answer 202 until they are ready.',
  'In the meeting': 'Commands to a bot in a meeting. They answer 409 if it is not in the meeting.',
  Transcripts: 'Post-call transcripts with speakers and word times.',
  'Speech providers': 'Speech vendors and the workspace’s own API keys for them.',
  Rooms: 'Links to the built-in meeting rooms of this server.',
  Calendars: 'Connected calendars, their events and the bots of events. Every path also works without /api/v1.',
  'Scheduled bots': 'Bots with a future join time. Every path also works without /api/v1.',
  Webhooks: 'Webhook endpoints of the workspace, the delivery log and the event feed.',
  Events: 'What this server sends to webhook endpoints and to a bot’s callback_url.',
  'Signed-in joins': 'Accounts that bots sign in with. Their secrets are write-only.',
  Account: 'Usage and settings of the workspace.',
  Operator: 'Workspaces, credits and keys; needs ADMIN_TOKEN.',
  Health: 'Liveness and readiness of the service. No key needed.',
}

type About = { readonly version: string; readonly headerPrefix: string }

/** Call it before routes are added: it collects them with an onRoute hook. */
export async function describe(app: Api, { version, headerPrefix }: About): Promise<void> {
  await app.register(swagger, {
    transform: ({ schema, url }) => ({ schema: schema && namedRoute(schema), url }),
    transformObject: (collected) =>
      'openapiObject' in collected ? finished(collected.openapiObject, { headerPrefix }) : collected.swaggerObject,
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Emissary', version, description: ABOUT, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      servers: [{ url: '/', description: 'This server' }],
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Token <API_KEY>' },
          operatorToken: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Token <ADMIN_TOKEN>' },
        },
      },
      security: [{ apiKey: [] }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    },
  })
  const documents = documentsOf(app)
  for (const [path, document] of Object.entries({ '/api/v1/openapi.json': documents.json, '/api/v1/openapi.yaml': documents.yaml }))
    app.get(path, { schema: { hide: true } }, (request, reply) => sendKept(request, reply, document(), REVALIDATED))
  docsPage(app, documents)
}

/** Each is made at its first request, when all routes have been added. */
function documentsOf(app: Api): Documents {
  return {
    json: once(() => keptFile('application/json; charset=utf-8', JSON.stringify(app.swagger()))),
    yaml: once(() => keptFile('application/yaml', app.swagger({ yaml: true }))),
  }
}

function once<Result>(make: () => Result): () => Result {
  let made: { readonly result: Result } | undefined
  return () => {
    made ??= { result: make() }
    return made.result
  }
}
