import { Button, Card, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { IconReceipt } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { Link } from 'react-router'
import type { CreditEntry } from '../../../shared/billing/credits.ts'
import {
  buyCredits,
  type CreditPack,
  type Credits,
  creditPacks,
  listCreditEntries,
} from '../../../shared/billing/credits.ts'
import { ApiError, call } from '../../core/api/api.ts'
import { DataList } from '../../core/ui/DataList.tsx'
import type { DataColumn } from '../../core/ui/DataTable.tsx'
import { Empty } from '../../core/ui/Empty.tsx'
import { Facts } from '../../core/ui/Facts.tsx'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingCards, LoadingRows } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { formatDateTime } from '../../core/ui/times.ts'
import { useOnce } from '../../core/ui/useOnce.ts'
import {
  describeEntry,
  explainUnusedCredits,
  formatBalance,
  formatCountry,
  formatCredits,
  formatSignedCredits,
  hasCreditsCard,
  packOptions,
} from './credit-copy.ts'
import { useCredits } from './credit-queries.ts'
import { getFailureText } from './failure.ts'
import { PageNumbers, usePageParam } from './PageNumbers.tsx'

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
        Used for SMS beyond your plan’s monthly amount. They never expire.
      </Text>
      <Stack gap="md">
        <Facts
          entries={[
            ['Balance', <strong key="balance">{formatBalance(credits.balanceMicros)}</strong>],
            ['Last 7 days', formatCredits(credits.weekMicros)],
          ]}
        />
        <Prices prices={credits.prices} />
        {note && <Notice tone="info">{note}</Notice>}
        {mayBuy && note === null && credits.offer === 'stripe' && <Buy />}
        {mayBuy && note === null && credits.offer === 'test' && (
          <Button component={Link} to="/test-subscription" w="fit-content">
            Add test credits
          </Button>
        )}
        {mayRead && <CreditLedger />}
      </Stack>
    </Card>
  )
}

const Prices = ({ prices }: Pick<Credits, 'prices'>) => (
  <div className="sms-prices">
    <Title order={3}>Price of an SMS</Title>
    <dl>
      {prices.map(({ country, micros }) => (
        <div key={country ?? ''}>
          <dt>{formatCountry(country)}</dt>
          <dd>{formatCredits(micros)}</dd>
        </div>
      ))}
    </dl>
    <Text fz="xs" c="dimmed">
      Per segment of up to 153 characters.
    </Text>
  </div>
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
          Buy ${pack} in credits
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

const REGION = 'credit-ledger'

/** Every transaction of the credits, to the millionth. */
function CreditLedger() {
  const { page, put } = usePageParam('ledger')
  const isOpen = page !== null
  return (
    <div>
      <Button
        variant="default"
        aria-expanded={isOpen}
        {...(isOpen && { 'aria-controls': REGION })}
        onClick={() => put(isOpen ? null : 1)}
      >
        {isOpen ? 'Hide transactions' : 'View transactions'}
      </Button>
      {isOpen && (
        <section id={REGION} aria-label="Credit transactions" style={{ marginTop: 'var(--mantine-spacing-md)' }}>
          <Entries page={page} onPage={put} />
        </section>
      )}
    </div>
  )
}

function Entries({ page, onPage }: { page: number; onPage: (page: number, replace?: boolean) => void }) {
  const entries = useCreditEntries(page)
  const last = entries.isPlaceholderData ? 0 : (entries.data?.pagination.pages ?? 0)
  // The page number in the address does not exist.
  useEffect(() => {
    if (last > 0 && page > last) onPage(last, true)
  })
  return (
    <Loaded query={entries} loading={<LoadingRows count={4} />} failed="The transactions could not be loaded.">
      {({ entries: rows, pagination }) =>
        pagination.total === 0 ? (
          <Empty icon={IconReceipt} text="No credits yet" />
        ) : (
          <>
            <DataList
              label="Transactions"
              columns={columns}
              rows={rows}
              getKey={({ seq }) => String(seq)}
              minWidth={560}
            />
            {pagination.pages > 1 && (
              <PageNumbers {...pagination} noun="transaction" requestedPage={page} onPage={onPage} />
            )}
          </>
        )
      }
    </Loaded>
  )
}

const columns: readonly DataColumn<CreditEntry>[] = [
  { id: 'date', label: 'Date', sort: null, cell: ({ at }) => formatDateTime(at) },
  { id: 'what', label: 'Description', sort: null, cell: (entry) => describeEntry(entry) },
  {
    id: 'amount',
    label: 'Amount',
    sort: null,
    isNumber: true,
    cell: ({ micros }) => <Money text={formatSignedCredits(micros)} />,
  },
  {
    id: 'balance',
    label: 'Balance',
    sort: null,
    isNumber: true,
    cell: ({ balanceMicros }) => <Money text={formatCredits(balanceMicros)} />,
  },
]

const Money = ({ text }: { text: string }) => <span className="tabular">{text}</span>

const PAGE = 10

const useCreditEntries = (page: number) =>
  useQuery({
    queryKey: ['billing', 'credit-entries', page],
    queryFn: ({ signal }) => call(listCreditEntries, { query: { page, limit: PAGE }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** Opens the payment page of the pack. Busy from the press until the page is left or restored by the browser's Back. */
function useBuyCredits() {
  const [isRedirecting, setRedirecting] = useState(false)
  const buying = useOnce({
    mutationFn: async (pack: CreditPack) => {
      const { url } = await call(buyCredits, { body: { pack } })
      if (!url) throw new ApiError(502, { error: '', code: 'internal' })
      setRedirecting(true)
      location.assign(url)
    },
  })
  useEffect(() => {
    const stay = (event: PageTransitionEvent) => event.persisted && setRedirecting(false)
    addEventListener('pageshow', stay)
    return () => removeEventListener('pageshow', stay)
  }, [])
  return { error: buying.error, isBusy: buying.isPending || isRedirecting, buy: buying.mutate }
}
