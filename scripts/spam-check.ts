// Checks all built-in templates and ready designs (English and German) as sent emails with SpamAssassin, without its network tests: `npm run check:spam`. No
// rule may give more than half a point. Without SpamAssassin it prints a note and exits with 0.
import { spawnSync } from 'node:child_process'
import { createId } from '../server/core/common/ids.ts'
import { createSecrets } from '../server/core/common/secrets.ts'
import { composeEmail, outgoingEmail } from '../server/delivery/compose/compose.ts'
import type { DisplayedCoupon } from '../server/delivery/compose/coupon-text.ts'
import { composeMessage } from '../server/delivery/email/smtp-message.ts'
import { DEFAULT_MAIL_BRAND } from '../server/messages/templates/brand.ts'
import { CAMPAIGN_TEMPLATES, QUICK_SEND_TEMPLATES } from '../server/messages/templates/ready-templates.ts'
import { listDesigns } from '../shared/messages/designs/designs.ts'

const MAX_POINTS = 0.5
/** Gmail clips HTML parts above this size. */
const CLIP_BYTES = 102 * 1024

const secrets = createSecrets('only for links nobody follows, and long enough')
const item = (name: string, unitPriceMinor: number) => ({
  productId: name,
  variationId: null,
  name,
  sku: null,
  quantity: 1,
  unitPriceMinor,
  imageUrl: 'https://harbour.example.com/picture.jpg',
})
const carts = {
  usual: { items: [item('Linen shirt, sea blue', 4_800), item('Canvas tote bag', 1_600)], firstName: 'Ana' },
  'without a name, large': { items: Array.from({ length: 40 }, (_, n) => item(`Cup no. ${n}`, 990)), firstName: null },
}

interface Sample {
  name: string
  raw: Buffer
  htmlBytes: number
}

const COUPON: DisplayedCoupon = {
  code: 'RC-7KQ2M9',
  percent: 1_000,
  amountMinor: null,
  currency: 'USD',
  isFreeShipping: false,
  minSpendMinor: null,
  expiresAt: new Date(Date.now() + 7 * 86_400_000),
  totalMinor: 5_760,
}
const texts = [...CAMPAIGN_TEMPLATES, ...QUICK_SEND_TEMPLATES].filter(({ body }) => body.trim() !== '')
const designs = ['en', 'de'].flatMap((locale) =>
  listDesigns(locale).map(({ theme, name, document, place }) => ({
    id: `${locale}-${theme}-${place}`,
    name: `${name}, ${locale}`,
    subject: '',
    body: '',
    design: document,
    locale,
    hasCoupon: place === 'last',
  })),
)
const templates = [...texts.map((text) => ({ ...text, design: null, locale: 'en-US', hasCoupon: false })), ...designs]
const samples: Sample[] = await Promise.all(
  templates.flatMap(({ locale, hasCoupon, ...template }) =>
    Object.entries(carts).map(async ([cartName, cart]) => {
      const messageId = createId()
      const composed = await composeEmail({
        messageId,
        cart: { ...cart, valueMinor: 6_400, currency: 'USD' },
        template: { ...template, version: 1 },
        store: {
          id: createId(),
          name: 'Harbour Goods',
          url: 'https://harbour.example.com',
          homeUrl: 'https://harbour.example.com',
          senderName: 'Harbour Goods',
          postalAddress: '1 Harbour Street, Portland, ME 04101, USA',
          timeZone: 'America/Los_Angeles',
        },
        coupon: hasCoupon ? COUPON : null,
        locale,
        brand: DEFAULT_MAIL_BRAND,
        publicUrl: 'https://recoup.example.com',
        secrets,
      })
      const sender = { name: 'Harbour Goods', email: 'hello@harbour.example.com', feedbackId: 'a:b:recovery:recoup' }
      const mail = outgoingEmail(messageId, 'ana@shopper.example.net', composed, sender, 'mail@recoup.example.com')
      const { raw } = await composeMessage(mail)
      return { name: `${template.name} (${cartName} cart)`, raw, htmlBytes: Buffer.byteLength(composed.html) }
    }),
  ),
)

function scoreSample({ raw }: Sample): { rule: string; points: number }[] | null {
  const received = `Received: from mx.example.com (mx.example.com [8.8.4.4])\r\n\tby mx.shopper.example.net (Postfix) with ESMTPS id 1;\r\n\t${new Date().toUTCString().replace('GMT', '+0000')}\r\n`
  const run = spawnSync('spamassassin', ['-L', '-t', '--cf=use_bayes 0', '--cf=use_txrep 0'], {
    input: Buffer.concat([Buffer.from(received), raw]),
    encoding: 'utf8',
  })
  if (run.error) return null
  const report = run.stdout.slice(run.stdout.lastIndexOf('Content analysis details'))
  if (!/^Content/.test(report)) throw new Error(`SpamAssassin failed:\n${run.stderr}`)
  const rows = report.matchAll(/^[ \t]*(-?\d+\.\d)[ \t]+([A-Z][A-Z0-9_]{2,})[ \t]/gm)
  return [...rows].map(([, points, rule]) => ({ rule: rule!, points: Number(points) }))
}

let failures = 0
for (const sample of samples) {
  const rules = scoreSample(sample)
  if (!rules) {
    console.log('SpamAssassin is not installed, so nothing was checked (Debian: apt-get install spamassassin).')
    process.exit(0)
  }
  const bad = rules.filter(({ points }) => points > MAX_POINTS).map(({ rule, points }) => `${rule} ${points}`)
  if (sample.htmlBytes > CLIP_BYTES) bad.push(`${sample.htmlBytes} bytes of HTML, Gmail shows ${CLIP_BYTES}`)
  const all = rules.map(({ rule, points }) => `${rule} ${points}`).join(', ')
  console.log(
    `${bad.length > 0 ? 'BAD ' : 'fine'} ${sample.name}, ${Math.ceil(sample.htmlBytes / 1024)} KB: ${all || 'no rule'}`,
  )
  failures += bad.length
}
if (failures > 0) process.exit(1)
