import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** What takes longest, first; a file that is not named here takes some seconds. */
const LONGEST = [
  'test/simulator/simulator.test.ts',
  'test/outages.long.test.ts',
  'demo/account/history.test.ts',
  'server/alarms/alarms.test.ts',
  'test/explain.test.ts',
  'server/manual-sends/bulk-sends.test.ts',
  'storefront/capture.test.ts',
  'server/backup/backup.test.ts',
  'server/decide/time.test.ts',
  'server/carts/attribution.test.ts',
  'test/malformed.test.ts',
  'server/manual-sends/manual.test.ts',
  'server/send/handover.test.ts',
  'server/accounts/accounts.test.ts',
  'test/plain-words.test.ts',
  'server/capture/contact-limits.test.ts',
  'server/restore/restore.test.ts',
  'server/send/sending.test.ts',
  'server/analytics/rollups.test.ts',
  'server/postgres/operator-command.test.ts',
  'server/postgres/embedded.test.ts',
  'e2e/coupon-codes.long.test.ts',
  'e2e/outages.long.test.ts',
  'e2e/demo.test.ts',
  'e2e/carts.test.ts',
  'e2e/screens.test.ts',
  'e2e/lost.test.ts',
  'e2e/mail-server.test.ts',
  'e2e/access.test.ts',
  'e2e/dashboard.test.ts',
  'e2e/team.test.ts',
  'e2e/phones.test.ts',
  'e2e/shell.test.ts',
  'e2e/connect.test.ts',
  'e2e/landing.test.ts',
  'e2e/coupon-codes.test.ts',
  'e2e/crash.test.ts',
  'e2e/keyboard.test.ts',
  'e2e/words.test.ts',
  'e2e/settings.test.ts',
  'e2e/texts.test.ts',
]

/** Workers end at about the same time only if none begins something long when the others are done. */
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
