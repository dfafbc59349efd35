import { loadConfig, StartupError } from '../../core/config/public.ts'
import { printLine, runCommand } from '../../core/postgres/public.ts'
import { setUpBilling } from './setup.ts'
import { isStripeError, openStripe } from './stripe.ts'

// `npm run billing:setup`: creates or checks the objects at Stripe. Works whether or not Recoup is running.

await runCommand(async () => {
  const config = loadConfig()
  if (!config.stripe) {
    throw new StartupError(
      'STRIPE_SECRET_KEY is not set, so there is nothing to set up: docs/running.md, "Taking payments".',
    )
  }
  const stripe = await openStripe(config.stripe)
  const isReplacing = process.argv.includes('--replace')
  const { done, notes, wrong } = await setUpBilling(stripe, config, { isReplacing }).catch((error: unknown) => {
    throw isStripeError(error) ? new StartupError(`Stripe says: ${error.message}`) : error
  })
  for (const sentence of [...done, ...notes]) printLine(sentence)
  if (wrong.length > 0) throw new StartupError(wrong.join('\n'))
  if (done.length === 0) printLine('Everything is already set up at Stripe. Nothing was changed.')
})
