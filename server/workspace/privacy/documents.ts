import { retentionEnds, retentionEndTexts, retentionTexts } from '../../../shared/workspace/kept.ts'
import { type DocumentName, documentNames, documentTitles } from '../../../shared/workspace/privacy-documents.ts'
import { readStore, type StoreRow } from '../../access/stores/public.ts'
import { requireFound } from '../../core/common/public.ts'
import type { Config } from '../../core/config/public.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { listStoredKinds } from './retention-page.ts'

// Data protection documents as Markdown, in English. Settings of instance and store are filled in; blanks remain for
// what only people know.

interface DocumentInput extends DocumentFacts {
  config: Config
  store: StoreRow
  day: string
}

/** Throws `not_found` for an unknown name. */
export async function privacyDocument(deps: Pick<Deps, 'config' | 'now'>, store: StoreDb, language: string) {
  const name = requireFound(
    documentNames.find((each) => each === language),
    'Document',
  )
  const row = requireFound(await readStore(store), 'Store')
  const day = deps.now().toISOString().slice(0, 10)
  const facts = { ...(await documentFacts(store)), config: deps.config, store: row, day }
  return { fileName: `${name}-${day}.md`, content: `${writers[name](facts).trim()}\n` }
}

const BLANK = '____________________'
/** Escapes typed names for Markdown, on one line. */
const escapeText = (text: string) =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_{}[\]<>#|!]/g, (mark) => `\\${mark}`) || BLANK

const describeController = ({ accountName, store }: DocumentInput) =>
  `${escapeText(store.sender_name || accountName)}, ${escapeText(store.postal_address)} (${escapeText(new URL(store.home_url).hostname)})`
const describeProcessor = ({ config }: DocumentInput) =>
  `${escapeText(config.companyName)}, ${escapeText(config.supportEmail)} (${escapeText(new URL(config.publicUrl).hostname)}), address: ${BLANK}`

const KINDS = listStoredKinds
const dataKinds = () =>
  KINDS()
    .map((name) => `- **${retentionTexts.en[name].title}**: ${retentionTexts.en[name].text}`)
    .join('\n')

const describeEnd = ({ store }: DocumentInput) =>
  store.retention_days === null
    ? 'While the store is connected, or until a person is erased.'
    : `Identity: ${store.retention_days} days after they were last seen, customers ${store.retention_days} days after their last order, cart or sign-in.`

interface SubProcessor {
  name: string
  purpose: string
  data: string
}

/** Services that currently receive data of shoppers or of the owner. */
function listSubProcessors({ config, hasOwnMail, textChannels, hasPush }: DocumentInput): SubProcessor[] {
  const smtp = config.smtpUrl ? new URL(config.smtpUrl).hostname : null
  const texts = 'Phone number, text of the message'
  return [
    {
      name: `${BLANK} (hosting)`,
      purpose: 'Runs the server and its database',
      data: 'Everything listed in the record',
    },
    ...(hasOwnMail
      ? [{ name: 'The mail server you have set up yourself', purpose: 'Sends email', data: 'Email address, text' }]
      : []),
    ...(smtp
      ? [{ name: smtp, purpose: 'Sends email', data: 'Email address, name, text of the message; owners’ addresses' }]
      : []),
    ...(textChannels.includes('sms') || config.operatorTexts
      ? [{ name: 'Twilio', purpose: 'Sends and receives SMS', data: texts }]
      : []),
    ...(textChannels.includes('whatsapp')
      ? [{ name: 'Meta (WhatsApp Business Platform)', purpose: 'Sends and receives WhatsApp messages', data: texts }]
      : []),
    ...(hasPush
      ? [
          {
            name: 'The push service of the shopper’s browser (Google, Mozilla, Apple, Microsoft)',
            purpose: 'Delivers notifications',
            data: 'Address of the browser; the text is encrypted',
          },
        ]
      : []),
    ...(config.stripe
      ? [
          {
            name: 'Stripe',
            purpose: 'Processes payments for plans',
            data: 'The owner’s name, email and payment; no shoppers',
          },
        ]
      : []),
  ]
}

const renderTable = (services: readonly SubProcessor[]) =>
  ['| service | what for | data | country, safeguard |', '| - | - | - | - |']
    .concat(services.map(({ name, purpose, data }) => `| ${escapeCell(name)} | ${purpose} | ${data} | ${BLANK} |`))
    .join('\n')
const escapeCell = (text: string) => text.replaceAll('|', '\\|')

const MEASURES = `- Access by account and role, expiring sessions, two-factor sign-in for members who switch it on.
- Stores' keys and provider passwords are encrypted in the database; addresses on the suppression list and in the consent ledger are keyed hashes.
- Calls from shops are signed. Links in messages are random and expire after 30 days.
- Logs contain no addresses, message texts or tokens. Visitors' IP addresses are not stored.
- A person's data can be exported and erased at any time; erasing leaves no address in the database.
- Encrypted connections, backups and their retention: ${BLANK}`

const head = (name: DocumentName, { store, day }: DocumentInput) =>
  `# ${documentTitles[name]}\n\nStore: ${escapeText(store.name)} · ${day} · made by Recoup from its settings. Fill in the blanks, and have it checked: it is not legal advice.`

const writers: Readonly<Record<DocumentName, (facts: DocumentInput) => string>> = {
  'processing-agreement': (facts) => `${head('processing-agreement', facts)}

## 1. Parties

- Controller: ${describeController(facts)}
- Processor: ${describeProcessor(facts)}

If you run Recoup on your own server, you are both. You then need an agreement only with each sub-processor in the list.

## 2. Subject, nature and purpose

The processor runs Recoup for the controller: it records carts of the shop, sends the controller's messages about them by email, SMS, WhatsApp or browser notification, and shows the controller their results.

## 3. Duration

While the store is connected. All its data is deleted 30 days after it is disconnected.

## 4. People and data

Shoppers and customers of ${escapeText(facts.store.name)}.

${dataKinds()}

## 5. Duties of the processor (Article 28(3) GDPR)

- It processes the data only on the controller's documented instructions: the settings of the store and the controller's actions in Recoup.
- Everyone with access is bound to confidentiality.
- It takes the measures of section 7.
- It engages other processors only as section 6 allows.
- It helps the controller to answer people's requests: export and erasing are in Recoup under Settings → Consent → Data requests, and in WordPress' own tools.
- It helps with security, breach notifications, impact assessments and consultations (Articles 32 to 36), and tells the controller of a breach without undue delay.
- At the end it deletes the data. The controller can export it before, under Settings → Account.
- It gives the controller what is needed to show compliance, and allows audits.

## 6. Sub-processors

The controller agrees to those of the list below. The processor announces changes ${BLANK} days ahead; the controller may object.

${renderTable(listSubProcessors(facts))}

## 7. Technical and organisational measures

${MEASURES}

## 8. Signatures

Controller: ${BLANK}, date ${BLANK}

Processor: ${BLANK}, date ${BLANK}`,

  'record-of-processing': (facts) => `${head('record-of-processing', facts)}

## Controller (Article 30(1) GDPR)

${describeController(facts)}. Representative and data protection officer: ${BLANK}

## Processor

${describeProcessor(facts)}

## Purpose

Reminding people of abandoned carts in ${escapeText(facts.store.name)}, measuring whether reminders help, and showing the shop's team its carts and customers.

## Legal grounds

Consent (Article 6(1)(a)) or, for existing customers, the soft opt-in of the recipient's country, as listed in Settings → Consent → Countries. Proof of consents and the suppression list: Article 6(1)(c) and (f). Other: ${BLANK}

## People

Visitors of the shop who fill a cart, customers, and members of the shop's team.

## Data and how long it is kept

${KINDS()
  .map(
    (name) =>
      `- **${retentionTexts.en[name].title}**: ${retentionTexts.en[name].text} *${retentionEndTexts.en(retentionEnds[name], facts.store.retention_days)}*`,
  )
  .join('\n')}

${describeEnd(facts)} All data of a disconnected store is deleted after 30 days.

## Recipients

${renderTable(listSubProcessors(facts))}

## Transfers to third countries

See the last column above. ${BLANK}

## Measures

${MEASURES}`,

  'sub-processors': (facts) => `${head('sub-processors', facts)}

Operator: ${describeProcessor(facts)}

${renderTable(listSubProcessors(facts))}

Services that are not set up are not listed. Your shop system itself is not a sub-processor of Recoup.`,
}

interface DocumentFacts {
  accountName: string
  hasOwnMail: boolean
  /** SMS and WhatsApp through the account's own provider accounts. */
  textChannels: string[]
  hasPush: boolean
}

/** Services that receive data of this store's shoppers, according to the account's settings. */
async function documentFacts({ db, storeId }: StoreDb): Promise<DocumentFacts> {
  const { rows } = await sql<DocumentFacts>`
    select a.name as "accountName",
      exists (select 1 from mail_servers m where m.account_id = a.id) as "hasOwnMail",
      array(select c.channel from channel_credentials c where c.account_id = a.id order by 1) as "textChannels",
      exists (select 1 from push_subscriptions p where p.store_id = s.id) as "hasPush"
    from stores s join accounts a on a.id = s.account_id where s.id = ${storeId}`.execute(db)
  return rows[0]!
}
