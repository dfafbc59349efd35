import { Text, Title } from '@mantine/core'
import { dataKinds, retentionTexts } from '../../../shared/workspace/kept.ts'
import { retentionDays } from '../../../shared/workspace/retention.ts'
import { useInstance } from '../../core/access/queries.ts'
import { BarePage } from '../../kits/page/BarePage.tsx'

// Each sentence needs its proof in `test/claims.ts`.

export function PrivacyPage() {
  const instance = useInstance()
  const company = instance?.companyName ?? 'Recoup'
  const support = instance?.supportEmail
  return (
    <BarePage title="Privacy">
      <div className="prose">
        <Title order={1}>Privacy</Title>
        <Text c="dimmed">What data is kept, why, for how long, and how to have it removed.</Text>
        <h2>Who is responsible</h2>
        <p>
          For the account of a store’s owner or team, {company} is the controller. For the data of people who shop in a
          store, the store is the controller, and {company} processes it for the store.
        </p>
        {paragraphs.owner.map(renderSection)}
        <h2>If you shop in a store that uses Recoup</h2>
        <dl>
          {dataKinds.map((kind) => (
            <div key={kind}>
              <dt>{retentionTexts.en[kind].title}</dt>
              <dd>{retentionTexts.en[kind].text}</dd>
            </div>
          ))}
        </dl>
        {paragraphs.shopper.map(renderSection)}
        <h2>Removal</h2>
        <p>
          Every marketing email has an unsubscribe link that works with one click and without signing in. To get a copy
          of your data, or to have it erased, write to the store that sent the message
          {support && (
            <>
              {' '}
              or to <a href={`mailto:${support}`}>{support}</a>
            </>
          )}
          . You may also complain to a data protection authority.
        </p>
      </div>
    </BarePage>
  )
}

interface Section {
  title: string
  texts: readonly string[]
}

const renderSection = ({ title, texts }: Section) => (
  <section key={title}>
    <h2>{title}</h2>
    {texts.map((text) => (
      <p key={text}>{text}</p>
    ))}
  </section>
)

const paragraphs: Readonly<Record<'owner' | 'shopper', readonly Section[]>> = {
  owner: [
    {
      title: 'If you run a store',
      texts: [
        'We keep your name, your email address, a hash of your password and your sessions. We keep the address of your store and its keys, encrypted. We keep your plan and payments; card data stays at Stripe.',
        'The legal basis is our contract with you (Article 6(1)(b) GDPR) and, for protecting sign-in, our legitimate interest (Article 6(1)(f)). All of it is deleted within minutes after you delete the account, except keyed hashes that prevent a second free trial. The data of a disconnected store is deleted after 30 days.',
        'Under Settings, Privacy you find a data processing agreement, a record of processing activities and a list of sub-processors, filled in for your store.',
      ],
    },
  ],
  shopper: [
    {
      title: 'Before you agree',
      texts: [
        'Each store chooses what is kept before you agree: nothing, only the products, or the products and what you type at the checkout. With only the products, the store may add the email address you have bought with before, where the law allows emails to customers. Orders are always kept.',
        'You agree in the store’s cookie banner, or by ticking a box at the checkout or in your account there. If you refuse in the banner, the script and the plugin report nothing more, except when you untick a box.',
        'The script keeps two random identifiers and its last report in your browser’s storage. Your IP address is not stored. A keyed hash of it is used for rate limiting. Of your browser, only phone or desktop is stored, and the language of the page.',
      ],
    },
    {
      title: 'Legal basis',
      texts: [
        'Messages rest on your consent (Article 6(1)(a) GDPR) or, where your country allows it, on an earlier purchase. Where a country’s law asks only for an opt-out, they rest on that rule. Proof of consents and opt-outs is kept under Article 6(1)(c) and (f).',
      ],
    },
    {
      title: 'How long data is kept',
      texts: [
        `Each store sets after how many days without activity people are erased. New stores begin with ${retentionDays.usual} days. A store connected before this setting existed keeps the data until it chooses.`,
        'Amounts and times are kept without your identity. Consents and opt-outs are kept as proof. After an erasure they carry only a fingerprint, from which your address cannot be read.',
      ],
    },
    {
      title: 'Who receives it',
      texts: [
        'The store, and the services that deliver its messages: a mail server, Twilio or Meta for SMS and WhatsApp, and your browser’s push service. Nothing is sold.',
      ],
    },
    {
      title: 'On this website',
      texts: [
        'Recoup keeps your sign-in, your theme and the address of your connected store in your browser’s storage. One cookie remembers for half a year that you have signed in here, so that someone guessing your password cannot lock you out. There are no other cookies.',
        'Nothing is loaded from other companies, except product pictures, which come from the store that sells them. If you press “Restore Cart”, the items are kept in your browser’s storage too.',
      ],
    },
  ],
}
