// The command line: emissary serve | migrate | key | settings.
import { defineCommand, runMain } from 'citty'
import packageFile from '../package.json' with { type: 'json' }
import { key } from './service/cli/key.ts'
import { migrateCommand } from './service/cli/migrate.ts'
import { serve } from './service/cli/serve.ts'
import { settings } from './service/cli/settings.ts'

const emissary = defineCommand({
  meta: {
    name: 'emissary',
    version: packageFile.version,
    description: 'Sends bots into live video meetings. Settings come from the environment and from .env.',
  },
  subCommands: { serve, migrate: migrateCommand, key, settings },
})

await runMain(emissary)
