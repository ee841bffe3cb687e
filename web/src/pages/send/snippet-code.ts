// A create_bot request as curl, TypeScript and Python.
type Snippet = { readonly name: string; readonly code: string }

export function snippetsOf(origin: string, body: object): readonly Snippet[] {
  const json = JSON.stringify(body, null, 2)
  return [
    {
      name: 'curl',
      code: `curl ${origin}/api/v1/bots/create_bot \\
  -H "Authorization: Token $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${json.replaceAll("'", "'\\''")}'`,
    },
    {
      name: 'TypeScript',
      code: `const answer = await fetch('${origin}/api/v1/bots/create_bot', {
  method: 'POST',
  headers: {
    authorization: \`Token \${process.env.API_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify(${json.replaceAll('\n', '\n  ')}),
})
const { bot_id } = await answer.json()`,
    },
    {
      name: 'Python',
      code: `import os, requests

answer = requests.post(
    "${origin}/api/v1/bots/create_bot",
    headers={"Authorization": f"Token {os.environ['API_KEY']}"},
    json=${pythonOf(body)},
)
bot_id = answer.json()["bot_id"]`,
    },
  ]
}

const PYTHON: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }

function pythonOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, inner]) => `${JSON.stringify(name)}: ${pythonOf(inner)}`)
      .join(', ')}}`
  const text = JSON.stringify(value)
  return PYTHON[text] ?? text
}
