import { Button, Card, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useId, useState } from 'react'
import { Link } from 'react-router'
import { type CreditPack, type Credits, creditPacks } from '../../shared/credits.ts'
import { Facts } from '../ui/Facts.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { CreditLedger } from './CreditLedger.tsx'
import {
  explainUnusedCredits,
  formatBalance,
  formatCountry,
  formatCredits,
  hasCreditsCard,
  packOptions,
} from './credit-copy.ts'
import { useBuyCredits, useCredits } from './credit-queries.ts'
import { getFailureText } from './failure.ts'

interface Props {
  mayBuy: boolean
  mayRead: boolean
}

/** Credit balance, price of an SMS, and purchase (decision 85). Renders nothing where credits do not apply. */
export function CreditsCard(props: Props) {
  const credits = useCredits()
  return (
    <Loaded query={credits} loading={<LoadingCards count={1} rows={3} />} failed="The credits could not be loaded.">
      {(known) => (hasCreditsCard(known) ? <Known credits={known} {...props} /> : null)}
    </Loaded>
  )
}

function Known({ credits, mayBuy, mayRead }: Props & { credits: Credits }) {
  const note = explainUnusedCredits(credits)
  return (
    <Card component="section" aria-label="SMS credits" id="credits">
      <Title order={2} mb={4}>
        SMS credits
      </Title>
      <Text fz="sm" c="dimmed" mb="md">
        They pay for the SMS of a month that the plan does not include, and do not expire.
      </Text>
      <Stack gap="md">
        <Facts
          entries={[
            ['Balance', <strong key="balance">{formatBalance(credits.balanceMicros)}</strong>],
            ['Last 7 days', formatCredits(credits.weekMicros)],
            ['An SMS costs about', <Prices key="prices" prices={credits.prices} />],
          ]}
        />
        {note && <Notice tone="info">{note}</Notice>}
        {mayBuy && note === null && credits.offer === 'stripe' && <Buy />}
        {mayBuy && note === null && credits.offer === 'test' && (
          <Button component={Link} to="/test-subscription" w="fit-content">
            Add credits for trying out
          </Button>
        )}
        {mayRead && <CreditLedger />}
      </Stack>
    </Card>
  )
}

const Prices = ({ prices }: Pick<Credits, 'prices'>) => (
  <>
    {prices.map(({ country, micros }) => (
      <span key={country ?? ''} style={{ display: 'block' }} className="tabular">
        {formatCountry(country)} {formatCredits(micros)}
      </span>
    ))}
    <Text component="span" fz="sm" c="dimmed">
      for each part of up to 153 characters
    </Text>
  </>
)

function Buy() {
  const label = useId()
  const [pack, setPack] = useState<CreditPack>(25)
  const { buy, isBusy, error } = useBuyCredits()
  const problem = getFailureText(error, 'The payment could not be opened.')
  return (
    <Stack gap="sm">
      <Text id={label} fz="sm" fw={550}>
        Buy credits
      </Text>
      <Group gap="sm">
        <SegmentedControl
          aria-labelledby={label}
          value={String(pack)}
          disabled={isBusy}
          data={packOptions}
          onChange={(value) => setPack(creditPacks.find((one) => String(one) === value) ?? 25)}
        />
        <Button loading={isBusy} onClick={() => buy(pack)}>
          Buy ${pack} of credits
        </Button>
      </Group>
      <Text fz="sm" c="dimmed">
        Paid once at Stripe. Tax, where it applies, is added there.
      </Text>
      {problem && (
        <Notice tone="bad" isLive>
          {problem}
        </Notice>
      )}
    </Stack>
  )
}
