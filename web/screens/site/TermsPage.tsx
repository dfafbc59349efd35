import { Text, Title } from '@mantine/core'
import { GUARANTEE_DAYS, plans, TRIAL_DAYS } from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import { useInstance } from '../../core/access/queries.ts'
import { BarePage } from '../../kits/page/BarePage.tsx'

export function TermsPage() {
  const instance = useInstance()
  return (
    <BarePage title="Terms">
      <div className="prose">
        <Title order={1}>Terms of use</Title>
        <Text c="dimmed">Short and in plain language.</Text>
        <h2>What Recoup does for you</h2>
        <p>
          Recoup reads the carts, orders, customers and products of the store you connect, and messages shoppers who
          abandoned a cart, in your name, once you have switched a flow on. Nothing is sent before that.
        </p>
        <h2>Your responsibilities</h2>
        <ul>
          <li>You are the sender. Your name and postal address appear in every email.</li>
          <li>You connect only stores you are authorized to act for, and keep your sign-in to yourself.</li>
          <li>
            You contact only people whom the law allows you to contact. Recoup refuses messages without consent where
            consent is required, and never contacts someone who has unsubscribed.
          </li>
        </ul>
        <h2>Plans and limits</h2>
        <p>Every plan has limits, shown on the pricing page. {billingTexts.atLimit}</p>
        {instance && <p>{payment[instance.sells]}</p>}
        <h2>Leaving</h2>
        <p>
          Disconnecting a store stops sending immediately. Its data is deleted 30 days later; until then, reconnecting
          the same store restores it. Deleting your account, under Settings, takes effect immediately: its data is
          deleted within minutes and cannot be restored.
        </p>
        <h2>Warranty</h2>
        <p>
          Recoup is provided as is. It depends on your store, your mail server and your shoppers’ mail providers, none
          of which it controls.
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

/** How plans are paid on this installation (decision 82). */
const payment = {
  stripe: `A paid plan begins with a ${TRIAL_DAYS}-day free trial, once per account, person and card, no credit card required. Without a card the account goes to ${plans.free.name} when the trial ends. Plans are paid through Stripe, by the month or the year in advance, and renew until you cancel; a canceled plan stays until its period ends. They come with a ${GUARANTEE_DAYS}-day money-back guarantee: write to us within ${GUARANTEE_DAYS} days of your first payment. Prices are in US dollars.`,
  test: 'Billing is in test mode on this server: a plan can be chosen, and nothing is charged.',
  none: 'This installation has no billing: nothing is charged, and whoever runs it decides which plan an account has.',
}
