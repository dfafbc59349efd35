import { Button, Card, Group, NumberInput, Stack, Switch, Table, Text, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { z } from 'zod'
import type { Budget } from '../../shared/reminders.ts'
import { PRICE_CURRENCY, priceList } from '../../shared/text-prices.ts'
import { useHasPermission } from '../access/queries.ts'
import { announce } from '../ui/announce.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { NotSaved } from '../ui/NotSaved.tsx'
import { useBudget, useSaveBudget } from './text-queries.ts'

type BudgetView = z.output<typeof Budget>

/** Monthly budget for texts, the amount spent, and typical prices. */
export function BudgetCard() {
  const budget = useBudget()
  return (
    <Card component="section" aria-label="Budget">
      <Title order={2}>Budget for SMS and WhatsApp</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        For all stores of the account together, per calendar month (UTC). When it is used up, messages wait for the next
        month unless they expire first.
      </Text>
      <Stack gap="md">
        {budget.isPending && <LoadingList count={2} />}
        {budget.error && (
          <Failed title="The budget could not be loaded" error={budget.error} onRetry={() => budget.refetch()} />
        )}
        {budget.data && <BudgetForm key={String(budget.data.monthly)} budget={budget.data} />}
        <Prices />
      </Stack>
    </Card>
  )
}

const money = (amount: number, currency: string, digits = 2) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency, minimumFractionDigits: digits }).format(amount)

function BudgetForm({ budget }: { budget: BudgetView }) {
  const mayChange = useHasPermission('billing:write')
  const save = useSaveBudget()
  const [isLimited, setLimited] = useState(budget.monthly !== null)
  const [amount, setAmount] = useState<number | string>(budget.monthly ?? 50)
  // Kept as a string: a number would drop zeros (100.00).
  const isValid = !isLimited || (amount !== '' && Number(amount) >= 0 && Number(amount) <= 1_000_000)
  const wanted = isLimited ? Number(amount) : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isValid) save.mutate(wanted, { onSuccess: () => announce('Budget saved') })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text fz="sm">
          This month: <strong className="tabular">{money(budget.spent, budget.currency)}</strong>
          {budget.monthly !== null && ` of ${money(budget.monthly, budget.currency)}`}
        </Text>
        <Switch
          label="Stop at a monthly amount"
          checked={isLimited}
          disabled={!mayChange}
          onChange={(event) => setLimited(event.currentTarget.checked)}
        />
        {isLimited && (
          <NumberInput
            label={`Amount in ${budget.currency}`}
            min={0}
            max={1_000_000}
            decimalScale={2}
            clampBehavior="none"
            styles={{ wrapper: { width: 140 } }}
            disabled={!mayChange}
            value={amount}
            error={isValid ? undefined : 'An amount from 0 to 1,000,000'}
            onChange={setAmount}
          />
        )}
        {save.error && <NotSaved>{save.error.message}</NotSaved>}
        {mayChange ? (
          <Group>
            <Button type="submit" variant="default" disabled={wanted === budget.monthly} loading={save.isPending}>
              Save budget
            </Button>
          </Group>
        ) : (
          <Notice tone="info">Only the owner or an admin of the account can change this.</Notice>
        )}
      </Stack>
    </form>
  )
}

const countries = new Intl.DisplayNames('en-US', { type: 'region' })

function Prices() {
  return (
    <details className="templates">
      <summary>Approximate message prices</summary>
      <Text fz="sm" mt={6}>
        Estimates, used until your provider reports the actual price. An SMS of several segments costs this amount per
        segment.
      </Text>
      <div className="price-list">
        <Table fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Country</Table.Th>
              <Table.Th className="number">SMS segment</Table.Th>
              <Table.Th className="number">WhatsApp</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {priceList().map(({ country, sms, whatsapp }) => (
              <Table.Tr key={country ?? ''}>
                <Table.Td>{country ? countries.of(country) : 'Other countries'}</Table.Td>
                <Table.Td className="number">{money(sms / 1_000_000, PRICE_CURRENCY, 3)}</Table.Td>
                <Table.Td className="number">{money(whatsapp / 1_000_000, PRICE_CURRENCY, 3)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </details>
  )
}
