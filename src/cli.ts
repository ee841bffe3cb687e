// The command line. Commands are imported on demand, so that --help is fast.
import { enableCompileCache } from 'node:module'
import { defineCommand, runMain } from 'citty'
import packageFile from '../package.json' with { type: 'json' }
import { COMPILED } from './kit/compiled.ts'

enableCompileCache(COMPILED)

const databaseCommands = () => import('./service/cli/database-commands.ts')
const installCommands = () => import('./service/cli/install.ts')
const backupCommands = () => import('./service/cli/backup-commands.ts')
const pageRules = () => import('./service/cli/page-rules.ts').then((it) => it.pageRules)

const emissary = defineCommand({
  meta: {
    name: 'emissary',
    version: packageFile.version,
    description: 'Sends bots into live video meetings. Settings come from the environment and from .env.',
  },
  subCommands: {
    serve: () => import('./service/cli/serve.ts').then(({ serve }) => serve),
    migrate: () => databaseCommands().then(({ migrate }) => migrate),
    'accept-key': () => databaseCommands().then(({ acceptKey }) => acceptKey),
    fleet: () => import('./service/cli/fleet.ts').then(({ fleet }) => fleet),
    recordings: () => databaseCommands().then(({ recordings }) => recordings),
    key: () => databaseCommands().then(({ key }) => key),
    password: () => databaseCommands().then(({ password }) => password),
    backup: () => backupCommands().then(({ backup }) => backup),
    restore: () => backupCommands().then(({ restore }) => restore),
    move: () => backupCommands().then(({ move }) => move),
    export: () => backupCommands().then(({ exportCommand }) => exportCommand),
    models: () => installCommands().then(({ models }) => models),
    zoom: () => installCommands().then(({ zoom }) => zoom),
    'page-rules': pageRules,
    // An earlier name, which scripts of operators use.
    tables: pageRules,
    doctor: () => import('./service/cli/doctor.ts').then(({ doctor }) => doctor),
    settings: () => import('./service/cli/settings.ts').then(({ settings }) => settings),
  },
})

await runMain(emissary)
