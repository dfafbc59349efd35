import { EXTRA_STORE_MONTHLY, monthlyPrice, type PlanKey, plans } from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import { creditPacks } from '../../../shared/billing/credits.ts'
import { explainLine, listPlanLines, RECOMMENDED } from '../../features/billing/rules.ts'

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
          {billingTexts.noBilling}. Its administrator decides which plan an account has, and nothing is charged.
        </p>
        {'{% else %}'}
        <p className="lead">Start free, change whenever you like. {billingTexts.pricedBy}</p>
        {'{% if isTestBilling %}'}
        <p>Billing is in test mode on this server: a plan costs nothing here.</p>
        {'{% endif %}'}
        <Periods />
        <div className="plans">
          {keys.map((key) => (
            <Plan key={key} planKey={key} />
          ))}
        </div>
        <p className="small-print">{billingTexts.youngAccounts}</p>
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
        Custom pricing. <a href="mailto:{{ support }}?subject=White-label">{billingTexts.whiteLabel}</a>
      </dd>
    </div>
  </dl>
)

function Plan({ planKey }: { planKey: PlanKey }) {
  const plan = plans[planKey]
  return (
    <article className={planKey === RECOMMENDED ? 'plan recommended' : 'plan'} data-plan={planKey}>
      <h3>
        {plan.name}
        {planKey === RECOMMENDED && <span className="tag">{billingTexts.recommended}</span>}
      </h3>
      <p className="price monthly">
        <b>${monthlyPrice(plan.priceMonthly, 'month')}</b>
        <span>/month</span>
      </p>
      <p className="price yearly">
        <b>${monthlyPrice(plan.priceMonthly, 'year')}</b>
        <span>/month{plan.priceMonthly > 0 && ', billed yearly'}</span>
      </p>
      <p className="reason">{planKey === RECOMMENDED && billingTexts.recommendedReason}</p>
      <ul>
        {listPlanLines(planKey).map((line) => (
          <li key={line} className={line.startsWith('No ') ? 'without' : undefined}>
            {line}
            {explainLine(line) && <small>{explainLine(line)}</small>}
          </li>
        ))}
      </ul>
      <a className={planKey === RECOMMENDED ? 'button' : 'button second'} href="/register">
        {planKey === 'free' ? 'Start free' : 'Start free, upgrade later'}
      </a>
    </article>
  )
}

const claims = ['14-day free trial', 'No credit card required', '30-day money-back guarantee']

/** Depends on the instance's SMS setup. */
const TEXTS = `{% if hasCredits %}SMS credits from $${creditPacks[0]}. With a provider of your own, and for WhatsApp: billed by your provider{% else %}Billed by your provider{% endif %}`
