import { Text, Title } from '@mantine/core'
import { BarePage } from '../../kits/page/BarePage.tsx'
import { problems } from '../landing/copy.ts'

/** The claims of the landing page and how each is tested. */
export function HowWeTestPage() {
  return (
    <BarePage title="How we test it">
      <div className="prose prose-wide">
        <Title order={1}>How we test it</Title>
        <Text c="dimmed">
          A simulator runs the real code on a real database through months of made-up shop activity. After every step it
          checks that no rule is broken.
        </Text>
        <dl className="test-results">
          {results.map(({ figure, label }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{figure}</dd>
            </div>
          ))}
        </dl>
        {tested.map(({ id, complaint, proofs }) => (
          <section key={id} className="test-part">
            <h2 id={id}>{complaint}</h2>
            <List items={proofs} />
          </section>
        ))}
        <section className="test-part">
          <h2>The simulator</h2>
          <div>
            {trials.map(({ title, text }) => (
              <p key={title}>
                <strong>{title}.</strong> {text}
              </p>
            ))}
          </div>
        </section>
        <section className="test-part">
          <h2>Known limits</h2>
          <List items={limits} />
        </section>
      </div>
    </BarePage>
  )
}

const List = ({ items }: { items: string[] }) => (
  <ul>
    {items.map((item) => (
      <li key={item}>{item}</li>
    ))}
  </ul>
)

// How each claim of the landing page is tested. Figures come from docs/reliability.md and docs/reliability-outages.md:
// change them there first.

const proofs: Record<string, string[]> = {
  'after-purchase': [
    'Each message’s record shows what was known at the time, and why it was sent or not.',
    'After every step, the simulator looks for emails sent despite a purchase known from an order check less than 60 seconds old. One such email is a failure.',
  ],
  twice: [
    'Tests kill the real server and its database while emails are being sent.',
    'The simulator kills workers at any line of code, before or after the mail server accepts the email. A message accepted twice is a failure.',
  ],
  revenue: [
    'The cart’s page names the message an order is attributed to, or states that there is none.',
    'After every simulator step, revenue is attributed to the last human interaction or to none, and never exceeds the store’s revenue.',
  ],
  consent: [
    'The reason is shown with the cart’s messages.',
    'In the simulator, an email sent a second after an unsubscribe is a failure, and so is one left pending.',
  ],
  silence: [
    'In simulated shops with 1,000 visits a day, a script that stopped at noon was noticed after about half an hour.',
    'In 700 simulated shop-months with weekends, holidays and quiet nights, there was no false alarm.',
  ],
}

export const tested = problems.map(({ id, complaint }) => ({ id, complaint, proofs: proofs[id] ?? [] }))

/** Of the simulator; the parts below say what each means. */
const results = [
  { figure: '700', label: 'simulated shop-months' },
  { figure: '0', label: 'false alarms' },
  { figure: '130', label: 'planted bugs, all caught' },
]

const trials = [
  {
    title: 'Every rule is checked after every step',
    text: 'What the engine did is compared with what the store and the mail server actually saw. One email too many fails the run.',
  },
  {
    title: 'Crash-tested',
    text: 'Either of two workers may crash at any line of code. Clocks jump. Webhooks come late, twice or never. The mail server accepts an email and then stops responding.',
  },
  {
    title: 'Deliberate bugs',
    text: 'For every rule, a bug is planted in the engine and must be caught. A check that cannot fail proves nothing.',
  },
]

/** Known limits, stated openly. */
const limits = [
  'An order cannot be seen if the store did not know of it yet when it was checked, moments before the email was sent.',
  'An email accepted by a mail server is not necessarily delivered or read. Recoup shows only what it knows.',
  'If a server crashes while sending, those messages stay “unknown”. They are not sent again.',
  'In a shop with five visits a day, silence means nothing, so only the other stages are monitored.',
]
