import { type PlanKey, plans } from '../../shared/billing.ts'
import { limitLines, monthlyPrice } from '../billing/rules.ts'

const keys = Object.keys(plans) as PlanKey[]

/** The plans as the server enforces them. The toggle is two radio buttons and a rule of the style sheet. */
export function Pricing() {
  return (
    <section id="pricing" className="band" aria-labelledby="pricing-title">
      <div className="wrap">
        <h2 id="pricing-title">Pricing</h2>
        <p className="lead">Start free, change whenever you like.</p>
        <fieldset className="periods">
          <legend className="unseen">Billing period</legend>
          <label>
            <input type="radio" name="period" id="monthly" defaultChecked />
            <span>Monthly</span>
          </label>
          <label>
            <input type="radio" name="period" id="yearly" />
            <span>
              Yearly <b>Save 20%</b>
            </span>
          </label>
        </fieldset>
        <div className="plans">
          {keys.map((key) => (
            <Plan key={key} planKey={key} />
          ))}
        </div>
        <p className="lead">Paid plans cannot be bought by card yet. Once they can, they come with:</p>
        <ul className="claims">
          {claims.map((claim) => (
            <li key={claim}>{claim}</li>
          ))}
        </ul>
        <h3>
          Add-ons
          <Soon />
        </h3>
        <dl className="add-ons">
          {addOns.map(([name, price]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{price}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  )
}

function Plan({ planKey }: { planKey: PlanKey }) {
  const plan = plans[planKey]
  return (
    <article className="plan" data-plan={planKey}>
      <h3>{plan.name}</h3>
      <p className="price monthly">
        <b>${monthlyPrice(plan.priceMonthly, false)}</b>
        <span>/month</span>
      </p>
      <p className="price yearly">
        <b>${monthlyPrice(plan.priceMonthly, true)}</b>
        <span>/month{plan.priceMonthly > 0 && ', billed yearly'}</span>
      </p>
      <ul>
        {[...limitLines(plan.limits), ...plan.features].map((line) => (
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

/** Not built yet. */
const Soon = () => (
  <>
    {' '}
    <small>Soon</small>
  </>
)

const claims = ['14-day free trial', 'No credit card required', '30-day money-back guarantee']

const addOns = [
  ['Extra store', '$10 per store per month'],
  ['SMS/WhatsApp', 'Pay-per-use credits'],
  ['White-label', 'Custom pricing'],
] as const
