// Serves the OpenAPI document, which is made from the route schemas, and its docs page.
import swagger from '@fastify/swagger'
import type { Api } from '../deps.ts'
import { keptFile, REVALIDATED, sendKept } from '../http/kept-file.ts'
import { TAGS } from '../schema.ts'
import { type Documents, docsPage } from './docs-page.ts'
import { finished, withComponents } from './document.ts'

const ABOUT = `One API that sends a bot into a live video meeting, where it joins as a visible, named participant, records, transcribes and reports.

Every request carries \`Authorization: Token <API_KEY>\`. Every error is an \`ErrorAnswer\`: \`message\` is one sentence that names the field. The one 507, a replayed \`Idempotency-Key\`, is a success.
A 429 or 503 has \`Retry-After\`. \`X-Request-Id\` is the id of the request in the server’s logs.
Statuses, events and error reasons are not a closed set: tolerate unknown values.
The format \`line\` is text of one line without control characters.
A field or path marked with \`x-alias-of\` is an alias of the named field or operation.`

type About = { readonly version: string; readonly headerPrefix: string }

/** Call it before routes are added: it collects them with an onRoute hook. */
export async function describe(app: Api, { version, headerPrefix }: About): Promise<void> {
  await app.register(swagger, {
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

/** Describes the routes that are added afterwards and have an operation id. The dashboard's client is generated from it and the API's document. */
export async function describeDashboard(app: Api, version: string): Promise<void> {
  await app.register(swagger, {
    decorator: 'dashboardSwagger',
    transform: ({ schema, url }) => ({ schema: { ...schema, hide: schema?.operationId === undefined }, url }),
    transformObject: (collected) => ('openapiObject' in collected ? withComponents(collected.openapiObject) : collected.swaggerObject),
    openapi: { openapi: '3.1.0', info: { title: 'Emissary dashboard', version } },
  })
  const document = once(() => keptFile('application/json; charset=utf-8', JSON.stringify(app.dashboardSwagger())))
  app.get('/dashboard/v1/openapi.json', { schema: { hide: true } }, (request, reply) => sendKept(request, reply, document(), REVALIDATED))
}

declare module 'fastify' {
  interface FastifyInstance {
    dashboardSwagger: FastifyInstance['swagger']
  }
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
