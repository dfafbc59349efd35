import { EXTRA_STORE_MONTHLY, monthlyPrice, type PlanKey, plans } from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import { creditPacks } from '../../../shared/billing/credits.ts'
import { listPlanLines } from '../../features/billing/rules.ts'

const keys = Object.keys(plans) as PlanKey[]

/**
 * The plans as the server enforces them. The toggle is two radio buttons and CSS. The running instance decides whether
 * they are sold.
 */
export function Pricing() {
  return (
    <section id="pricing" className="band" aria-labelledby="pricing-title">
      <div className="wrap">
        <h2 id="pricing-title">Pricing</h2>
        {'{% unless isSold %}'}
        <p className="lead">
          {billingTexts.noBilling}: whoever runs it decides which plan an account has. Nothing is charged.
        </p>
        {'{% else %}'}
        <p className="lead">Start free, change whenever you like.</p>
        {'{% if isTestBilling %}'}
        <p>Billing is in test mode on this server: a plan costs nothing here.</p>
        {'{% endif %}'}
        <Periods />
        <div className="plans">
          {keys.map((key) => (
            <Plan key={key} planKey={key} />
          ))}
        </div>
        <ul className="claims">
          {claims.map((claim) => (
            <li key={claim}>{claim}</li>
          ))}
        </ul>
        <h3>Add-ons</h3>
        <AddOns />
        {'{% endunless %}'}
      </div>
    </section>
  )
}

const Periods = () => (
  <fieldset className="periods">
    <legend className="unseen">Billing period</legend>
    <label>
      <input type="radio" name="period" id="monthly" defaultChecked />
      <span>Monthly</span>
    </label>
    <label>
      <input type="radio" name="period" id="yearly" />
      <span>
        Yearly <b>{billingTexts.save}</b>
      </span>
    </label>
  </fieldset>
)

const AddOns = () => (
  <dl className="add-ons">
    <div>
      <dt>Extra store</dt>
      <dd>${EXTRA_STORE_MONTHLY} per store per month</dd>
    </div>
    <div>
      <dt>SMS/WhatsApp</dt>
      <dd>{TEXTS}</dd>
    </div>
    <div>
      <dt>White-label</dt>
      <dd>
        Custom pricing. {billingTexts.whiteLabel} <a href="mailto:{{ support }}?subject=White-label">Write to us</a>
      </dd>
    </div>
  </dl>
)

function Plan({ planKey }: { planKey: PlanKey }) {
  const plan = plans[planKey]
  return (
    <article className="plan" data-plan={planKey}>
      <h3>{plan.name}</h3>
      <p className="price monthly">
        <b>${monthlyPrice(plan.priceMonthly, 'month')}</b>
        <span>/month</span>
      </p>
      <p className="price yearly">
        <b>${monthlyPrice(plan.priceMonthly, 'year')}</b>
        <span>/month{plan.priceMonthly > 0 && ', billed yearly'}</span>
      </p>
      <ul>
        {listPlanLines(planKey).map((line) => (
          <li key={line} className={line.startsWith('No ') ? 'without' : undefined}>
            {line}
          </li>
        ))}
      </ul>
      <a className={planKey === 'free' ? 'button' : 'button second'} href="/register">
        {planKey === 'free' ? 'Start free' : 'Start free, upgrade later'}
      </a>
    </article>
  )
}

const claims = ['14-day free trial', 'No credit card required', '30-day money-back guarantee']

/** Depends on the instance's SMS setup. */
const TEXTS = `{% if hasCredits %}SMS credits from $${creditPacks[0]}. With a provider of your own, and for WhatsApp: billed by your provider{% else %}Billed by your provider{% endif %}`
