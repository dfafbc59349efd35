import { Text, Title } from '@mantine/core'
import { useInstance } from '../access/queries.ts'
import { BarePage } from '../shell/BarePage.tsx'

export function TermsPage() {
  const instance = useInstance()
  return (
    <BarePage title="Terms">
      <div className="prose">
        <Title order={1}>Terms of use</Title>
        <Text c="dimmed">In short, and in plain words.</Text>
        <h2>What Recoup does for you</h2>
        <p>
          Recoup reads the carts, orders, customers and products of the store you connect, and writes to shoppers who
          left a cart, in your name, when you have switched a flow on. Nothing is sent before that.
        </p>
        <h2>What you answer for</h2>
        <ul>
          <li>You are the sender. Your name and postal address stand in every mail.</li>
          <li>You connect only stores you may act for, and keep your sign-in to yourself.</li>
          <li>
            You write only to people whom the law lets you write to. Recoup refuses messages without consent where
            consent is needed, and never writes to someone who has unsubscribed.
          </li>
        </ul>
        <h2>Plans and limits</h2>
        <p>
          Every plan has limits, shown on the pricing page. When one is reached, sending stops and says so; you are
          never moved to another plan without choosing it.
        </p>
        <p>
          A paid plan begins with a 14-day free trial, no credit card required, and comes with a 30-day money-back
          guarantee. Prices are in US dollars.
        </p>
        <h2>Leaving</h2>
        <p>
          Disconnecting a store stops sending at once. Its data is deleted 30 days later; until then, connecting the
          same store again brings it back. Deleting your account, under Settings, ends it at once: its data is deleted
          within minutes and cannot be brought back.
        </p>
        <h2>Warranty</h2>
        <p>
          Recoup is provided as it is. It depends on your store, your mail server and your shoppers’ mail providers,
          none of which it controls.
        </p>
        {instance && (
          <p>
            {instance.companyName !== instance.productName && `Recoup is run here by ${instance.companyName}. `}
            Questions: <a href={`mailto:${instance.supportEmail}`}>{instance.supportEmail}</a>
          </p>
        )}
      </div>
    </BarePage>
  )
}
