// emissary key: creates an API key for a workspace.
import { defineCommand } from 'citty'
import { makeKey } from '../accounts/keys.ts'
import { firstUser, listWorkspaces } from '../db/accounts.ts'
import { withDatabase } from './database.ts'
import { complain, say } from './terminal.ts'

export const key = defineCommand({
  meta: { name: 'key', description: 'Create an API key and print it.' },
  args: {
    workspace: { type: 'string', default: 'default', description: 'Name or id of the workspace.' },
    name: { type: 'string', default: 'made on the command line', description: 'What the key is for.' },
    service: { type: 'boolean', default: false, description: 'A service key, which belongs to no user.' },
  },
  run: ({ args }) =>
    withDatabase(async (db) => {
      const workspace = (await listWorkspaces(db)).find(({ id, name }) => id === args.workspace || name === args.workspace)
      if (!workspace) {
        complain(`There is no workspace ${args.workspace}. Set --workspace to the name or id of one.`)
        process.exitCode = 1
        return
      }
      const userId = args.service ? null : await firstUser(db, workspace.id)
      const { apiKey } = await makeKey(db, { workspaceId: workspace.id, userId, madeBy: 'operator', name: args.name, at: new Date() })
      say('Store this key. It is not shown again.')
      process.stdout.write(`${apiKey}\n`)
    }),
})
