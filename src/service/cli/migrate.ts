// emissary migrate: runs the database migrations without starting the service.
import { defineCommand } from 'citty'
import { withDatabase } from './database.ts'
import { say } from './terminal.ts'

export const migrateCommand = defineCommand({
  meta: { name: 'migrate', description: 'Run the database migrations and exit. `serve` also runs them.' },
  run: () => withDatabase(async () => say('The database is up to date.')),
})
