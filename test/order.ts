import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** What takes longest, first; a file that is not named here takes some seconds. */
const LONGEST = [
  'test/outages.long.test.ts',
  'test/explain.test.ts',
  'server/plugin-calls/hostile.test.ts',
  'server/backup/backup.test.ts',
  'server/notifications/day.test.ts',
  'demo/account/history.test.ts',
  'test/simulator/simulator.test.ts',
  'server/manual-sends/bulk-sends.test.ts',
  'server/privacy/privacy.test.ts',
  'server/carts/attribution.test.ts',
  'server/discount-mail/recipients.test.ts',
  'server/platforms/shopify/scale.test.ts',
  'server/platforms/shopify/bulk.test.ts',
  'server/campaigns/runs.test.ts',
  'server/carts/fold-order.test.ts',
  'test/plain-words.test.ts',
  'storefront/capture.test.ts',
  'test/explain-customers.test.ts',
  'server/manual-sends/manual.test.ts',
  'server/alarms/alarms.test.ts',
  'test/explain-notifications.test.ts',
  'server/postgres/embedded.test.ts',
  'test/hostile-text.test.ts',
  'server/decide/limits.test.ts',
  'server/live/live.test.ts',
  'server/store-settings/doctor.test.ts',
  'server/postgres/operator-command.test.ts',
  'server/notifications/compact.test.ts',
  'server/compose/own-text.test.ts',
  'server/send/mail-out.test.ts',
  'server/email/dkim.test.ts',
  'server/send/sending.test.ts',
  'e2e/coupon-codes.long.test.ts',
  'e2e/outages.long.test.ts',
  'e2e/carts.test.ts',
  'e2e/notifications.test.ts',
  'e2e/screens.test.ts',
  'e2e/demo.test.ts',
  'e2e/coupons.test.ts',
  'e2e/lost.test.ts',
  'e2e/flow-coupon.test.ts',
  'e2e/access.test.ts',
  'e2e/team.test.ts',
  'e2e/dashboard.test.ts',
  'e2e/connect.test.ts',
  'e2e/phones.test.ts',
  'e2e/campaigns.test.ts',
  'e2e/crash.test.ts',
  'e2e/words.test.ts',
  'e2e/mail-server.test.ts',
  'e2e/shell.test.ts',
  'e2e/coupon-codes.test.ts',
  'e2e/customers.test.ts',
  'e2e/settings.test.ts',
  'e2e/keyboard.test.ts',
  'e2e/landing.test.ts',
  'e2e/texts.test.ts',
  'e2e/discount-mail.test.ts',
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
