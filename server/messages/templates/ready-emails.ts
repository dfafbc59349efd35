import { type DesignPlace, listDesigns } from '../../../shared/messages/designs/designs.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import type { EmailContent } from './content.ts'
import { toTemplateText } from './plain-text.ts'

// The emails that flows begin with: designs of one theme. Colors, logo and corners come from the brand kit.

const THEME = 'quiet'
const places = { first_reminder: 'first', second_reminder: 'second', last_reminder: 'last' } as const satisfies Record<
  string,
  DesignPlace
>
export type ReadyEmailId = keyof typeof places

const known = new Map<string, ReadonlyMap<DesignPlace, EmailContent>>()

/** `locale`: of the store. Languages without designs get English. */
export function getReadyEmail(id: ReadyEmailId, locale: string | null): EmailContent {
  const tag = locale ?? 'en'
  const emails = known.get(tag) ?? createEmails(tag)
  known.set(tag, emails)
  return emails.get(places[id])!
}

const createEmails = (tag: string): ReadonlyMap<DesignPlace, EmailContent> =>
  new Map(
    listDesigns(tag)
      .filter(({ theme }) => theme === THEME)
      .map(({ place, document }) => {
        const design = adapt(document)
        return [place, { ...toTemplateText(design), design }]
      }),
  )

/**
 * Any step may get a coupon, and shoppers enter coupons: the items show its code, what it takes off and what remains.
 * Buttons have the brand's color.
 */
const adapt = (document: MailDocument): MailDocument => ({
  ...document,
  bands: document.bands.map((band) => ({
    ...band,
    blocks: band.blocks.map((block) => {
      if (block.type === 'items') return { ...block, hasCoupon: block.part !== 'first' }
      if (block.type === 'button') return { ...block, style: 'solid' }
      return block.type === 'totals' ? { ...block, show: 'total_unchanged' } : block
    }),
  })),
})
