// The published description of the API, made from the schemas that check it, and a page to read it.
import swagger from '@fastify/swagger'
import type { Api } from './deps.ts'
import { finished, namedRoute } from './description/document.ts'
import { docsPage } from './docs-page.ts'

const ABOUT = `One API that sends a bot into a live video meeting, where it joins as a visible, named participant, records, transcribes and reports.

Every request carries \`Authorization: Token <API_KEY>\`. Every error is an \`Error\`: \`message\` is one sentence that names the field.
A 429 and a 503 say in \`Retry-After\` when to try again. \`X-Request-Id\` names an answer in the logs of the server.
Statuses, events and error reasons are not a closed set: tolerate unknown values.
The format \`line\` is text of one line without control characters.
A field or path that is marked with \`x-alias-of\` is another name of the field or operation that it names.`

const TAGS = {
  Bots: 'Send bots into meetings, follow them, and take them out.',
  Recordings: 'What a bot brings back. The answer is 202 until it is ready.',
  'In the meeting': 'What a bot does while it is in a meeting. The answer is 409 while it is not.',
  Transcripts: 'Words with speakers and times, after the call.',
  'Speech providers': 'The speech vendors, and the workspace’s own keys of them.',
  Rooms: 'Links to the meeting rooms of this server.',
  Calendars: 'Connected calendars, their events, and the bots of the events. Every path also answers without /api/v1.',
  'Scheduled bots': 'Bots that wait for their time. Every path also answers without /api/v1.',
  Webhooks: 'The endpoints of the workspace, the log of deliveries, and the feed of events.',
  Events: 'What this server sends to webhook endpoints and to a bot’s callback_url.',
  'Signed-in joins': 'Accounts that bots sign in with. Secrets go in and never come out.',
  Account: 'Usage and settings of the workspace.',
  Operator: 'Workspaces, credits and keys; needs ADMIN_TOKEN.',
  Health: 'Liveness and readiness of the service. No key needed.',
}

type About = { readonly version: string; readonly headerPrefix: string }

/** Call before the routes are added: it collects them. */
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
  app.get('/api/v1/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  app.get('/api/v1/openapi.yaml', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/yaml').send(app.swagger({ yaml: true })),
  )
  docsPage(app)
}
