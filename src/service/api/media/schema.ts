// Signed media links: query, path and answers.
import Type from 'typebox'

/** The query of every read that answers with links. */
export const LinkQuery = Type.Object({
  expires_in: Type.Optional(Type.Number({ minimum: 60, maximum: 86_400, default: 3600, description: 'Seconds until the links expire.' })),
})

export const MediaParams = Type.Object({
  token: Type.String({ description: 'The signed claims and the signature.' }),
  file_name: Type.String({ description: 'The name to save the file as; part of the signature.' }),
})

/** Lists of events are JSON; everything else is binary. */
export const Bytes = {
  content: {
    'application/json': { schema: Type.Unsafe<unknown>({ description: 'Lists of events.' }) },
    '*/*': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary', description: 'Screenshots and recordings.' }) },
  },
}

export const Elsewhere = Type.Object({ message: Type.String() })
