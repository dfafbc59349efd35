import { Text, Title } from '@mantine/core'
import { BarePage } from '../shell/BarePage.tsx'
import { limits, tested, trials } from './how-we-test.ts'

/** The claims of the landing page and how each is tested. */
export function HowWeTestPage() {
  return (
    <BarePage title="How we test it">
      <div className="prose">
        <Title order={1}>How we test it</Title>
        <Text c="dimmed">
          A simulator runs the real code on a real database through months of made-up shop activity and checks that no
          rule is broken.
        </Text>
        {tested.map(({ id, complaint, proofs }) => (
          <section key={id}>
            <h2 id={id}>{complaint}</h2>
            <List items={proofs} />
          </section>
        ))}
        <h2>The simulator</h2>
        {trials.map(({ title, text }) => (
          <p key={title}>
            <strong>{title}.</strong> {text}
          </p>
        ))}
        <p>
          All figures and known limits are in <code>docs/reliability.md</code> and{' '}
          <code>docs/reliability-outages.md</code> of the source. <code>npm run simulate</code> repeats the tests.
        </p>
        <h2>What nobody can guarantee</h2>
        <List items={limits} />
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
