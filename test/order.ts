import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** What takes longest, first; a file that is not named here takes some seconds. */
const LONGEST = [
  'test/simulator/simulator.test.ts',
  'test/explain.test.ts',
  'storefront/capture.test.ts',
  'test/outages.test.ts',
  'server/messages/send-jobs.test.ts',
  'test/malformed.test.ts',
  'server/alarms/alarms.test.ts',
  'server/analytics/rollups.test.ts',
  'server/accounts/accounts.test.ts',
  'demo/account/history.test.ts',
  'server/messages/time.test.ts',
  'server/carts/attribution.test.ts',
  'server/messages/by-hand.test.ts',
  'server/postgres/embedded.test.ts',
  'server/messages/limits.test.ts',
  // Waits a minute for a real mail, while others work.
  'e2e/demo.test.ts',
  'e2e/carts.test.ts',
  'e2e/screens.test.ts',
  'e2e/team.test.ts',
  'e2e/crash.test.ts',
  'e2e/lost.test.ts',
  'e2e/words.test.ts',
  'e2e/outages.test.ts',
]

/** Two workers end at about the same time only if neither begins something long when the other is done. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`))
      return found < 0 ? LONGEST.length : found
    }
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    const usual = await super.sort(files)
    return usual.sort((a, b) => group(a) - group(b) || place(a) - place(b))
  }
}
