// The service, database and fleet that a test file has for all its tests.
import type { ServiceOptions } from '../../../src/service/main.ts'
import { forFile, openForFile } from '../for-file.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { createTestFleet, type TestFleet } from './fleet.ts'
import { startTestService, type TestService } from './service.ts'

/** Started before the tests of this file and stopped after them. */
export function serviceForFile(settings: Record<string, string> = {}, options: ServiceOptions = {}): TestService {
  return openForFile(() => startTestService(settings, options))
}

/** Created before the tests of this file and dropped after them. */
export function databaseForFile(): TestDatabase {
  return openForFile(createTestDatabase)
}

/** One workspace of the file's database. */
export function fleetForFile(database: TestDatabase): TestFleet {
  return forFile(
    () => createTestFleet(database.db),
    () => undefined,
  )
}
