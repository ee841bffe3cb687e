// The command line. Commands are imported on demand, so that --help is fast.
import { enableCompileCache } from 'node:module'
import { defineCommand, runMain } from 'citty'
import packageFile from '../package.json' with { type: 'json' }
import { COMPILED } from './kit/compiled.ts'

enableCompileCache(COMPILED)

const emissary = defineCommand({
  meta: {
    name: 'emissary',
    version: packageFile.version,
    description: 'Sends bots into live video meetings. Settings come from the environment and from .env.',
  },
  subCommands: {
    serve: () => import('./service/cli/serve.ts').then(({ serve }) => serve),
    migrate: () => import('./service/cli/migrate.ts').then(({ migrateCommand }) => migrateCommand),
    'accept-key': () => import('./service/cli/accept-key.ts').then(({ acceptKeyCommand }) => acceptKeyCommand),
    fleet: () => import('./service/cli/fleet.ts').then(({ fleet }) => fleet),
    recordings: () => import('./service/cli/recordings.ts').then(({ recordings }) => recordings),
    key: () => import('./service/cli/key.ts').then(({ key }) => key),
    password: () => import('./service/cli/password.ts').then(({ password }) => password),
    models: () => import('./service/cli/models.ts').then(({ models }) => models),
    zoom: () => import('./service/cli/zoom.ts').then(({ zoom }) => zoom),
    tables: () => import('./service/cli/tables.ts').then(({ tables }) => tables),
    doctor: () => import('./service/cli/doctor.ts').then(({ doctor }) => doctor),
    settings: () => import('./service/cli/settings.ts').then(({ settings }) => settings),
  },
})

await runMain(emissary)
