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
        <Text c="dimmed">Last updated {UPDATED}</Text>
        <h2>What Recoup does for you</h2>
        <p>
          Recoup reads the carts, orders, customers and products of the store you connect. It messages shoppers who
          abandoned a cart, in your name, once you have switched a flow on or started a campaign. Nothing is sent to
          shoppers before that, except what you send yourself.
        </p>
        <h2>Your responsibilities</h2>
        <ul>
          <li>You are the sender. Your name and postal address appear in every marketing email.</li>
          <li>You connect only stores you are authorized to act for, and keep your sign-in to yourself.</li>
          <li>
            You contact only people whom the law allows you to contact. Recoup applies a rule per country, which you can
            read and change under Settings, Consent. It sends nothing to someone who has unsubscribed.
          </li>
          <li>
            You are the controller of your shoppers’ data, and we process it for you. The data processing agreement is
            under Settings, Privacy.
          </li>
        </ul>
        <h2>Plans and limits</h2>
        <p>
          Every plan has limits, shown on the pricing page. {billingTexts.atLimit} {billingTexts.youngAccounts}
        </p>
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

/** Change it with the text. */
const UPDATED = 'November 30, 2026'

/** How plans are paid on this installation (decision 82). */
const payment = {
  stripe: `A paid plan begins with a ${TRIAL_DAYS}-day free trial, once per account, person and card. No credit card required. Without a card the account moves to ${plans.free.name} when the trial ends. Plans are paid through Stripe, by the month or the year in advance, and renew until you cancel. A canceled plan stays until its period ends. There is a ${GUARANTEE_DAYS}-day money-back guarantee: contact us within ${GUARANTEE_DAYS} days of your first payment for a full refund. Prices are in US dollars.`,
  test: 'Billing is in test mode on this server: a plan can be chosen, and nothing is charged.',
  none: 'This installation has no billing. Nothing is charged, and its administrator decides which plan an account has.',
}
