// emissary migrate: bring the database's tables up to date without starting the service.
import { defineCommand } from 'citty'
import { withStore } from './store.ts'
import { say } from './terminal.ts'

export const migrateCommand = defineCommand({
  meta: { name: 'migrate', description: 'Bring the database up to date and exit. `serve` does it by itself.' },
  run: () => withStore(async () => say('The database is up to date.')),
})
