import { Anchor, Card, SimpleGrid, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import { EXTRA_STORE_MONTHLY } from '../../shared/billing.ts'
import { billingTexts } from '../../shared/billing-texts.ts'
import { type Credits, creditPacks } from '../../shared/credits.ts'
import { formatCredits, usesCredits } from './credit-copy.ts'
import { useCredits } from './credit-queries.ts'

/** Add-ons beside the plan (A 9), or where to ask for them. */
export function AddOns({ supportEmail, hasPlan }: { supportEmail: string | undefined; hasPlan: boolean }) {
  return (
    <section aria-labelledby="add-ons">
      <Title order={2} id="add-ons" mb="sm">
        Add-ons
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
        <AddOn name="Extra store" price={`$${EXTRA_STORE_MONTHLY} per store per month`}>
          Connect more stores than a paid plan has. Choose how many when you buy or change the plan.
        </AddOn>
        <Texts credits={useCredits().data} hasPlan={hasPlan} />
        <AddOn name="White-label" price="Custom pricing">
          {billingTexts.whiteLabel}
          {supportEmail && (
            <>
              {' '}
              <Anchor underline="always" href={`mailto:${supportEmail}?subject=White-label`}>
                Write to us
              </Anchor>{' '}
              about what you need.
            </>
          )}
        </AddOn>
      </SimpleGrid>
    </section>
  )
}

/** Only add-ons that the account's SMS setup supports are offered. */
const Texts = ({ credits, hasPlan }: { credits: Credits | undefined; hasPlan: boolean }) =>
  credits && usesCredits(credits) && credits.offer ? (
    <AddOn name="SMS/WhatsApp" price={`SMS credits from $${creditPacks[0]}`}>
      They pay for the SMS that Starter and Growth do not include, from about {formatCredits(cheapest(credits))} each.
      WhatsApp is billed by your provider.{' '}
      {hasPlan && (
        <Anchor component={Link} to="/billing#credits" underline="always">
          Credits under Billing
        </Anchor>
      )}
    </AddOn>
  ) : (
    <AddOn name="SMS/WhatsApp" price="Billed by your provider">
      Messages go through your own account at Twilio or Meta. The plan says how many you can send.
    </AddOn>
  )

const cheapest = ({ prices }: Credits) => Math.min(...prices.map(({ micros }) => micros))

const AddOn = ({ name, price, children }: { name: string; price: string; children: React.ReactNode }) => (
  <Card h="100%">
    <Title order={3}>{name}</Title>
    <Text fw={550}>{price}</Text>
    <Text fz="sm" c="dimmed" mt={4}>
      {children}
    </Text>
  </Card>
)
