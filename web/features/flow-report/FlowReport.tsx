import '../analytics/analytics.css'
import './flow-report.css'
import { Button, Card, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { type FlowReport as Report, reportDays } from '../../../shared/marketing/flow-report.ts'
import type { FlowView } from '../../../shared/marketing/flows.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { formatCount, formatDay, formatMoney } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { type ReportDays, useChooseWinner, useFlowReport } from '../../kits/flows/queries.ts'
import { FactList, Term } from '../analytics/parts.tsx'
import {
  describeComparison,
  describeDelivered,
  listSkipped,
  nameStep,
  reportDefinitions,
  type StepFigures,
  sumSteps,
  type VariantFigures,
} from './rules.ts'

/** Results of a flow's messages, a row each. `isEdited`: the flow has unsaved changes. */
export function FlowReport({ flow, isEdited }: { flow: FlowView; isEdited: boolean }) {
  const [days, setDays] = useState<ReportDays>(30)
  const report = useFlowReport(flow.id, days)
  return (
    <Card component="section" aria-label="Report">
      <Group justify="space-between" gap="sm" mb="md">
        <Title order={2}>Report</Title>
        <SegmentedControl
          size="xs"
          aria-label="Days of the report"
          value={String(days)}
          onChange={(value) => setDays(Number(value) as ReportDays)}
          data={reportDays.map((value) => ({ value: String(value), label: `${value} days` }))}
        />
      </Group>
      <Loaded query={report} loading={<LoadingList count={4} />} failed="The report could not be loaded">
        {(data) => <Content report={data} flow={flow} isEdited={isEdited} />}
      </Loaded>
    </Card>
  )
}

function Content({ report, flow, isEdited }: { report: Report; flow: FlowView; isEdited: boolean }) {
  const { steps, currency, from, to, countedAt } = report
  const tested = steps.filter(({ variants }) => variants.length > 1)
  return (
    <Stack gap="lg" className="report-box">
      <StepTable steps={steps} currency={currency} />
      <SkippedMessages steps={steps} />
      {tested.map((step) => (
        <section key={step.stepId} className="report-step" aria-label={nameStep(step)}>
          <h3 className="block-title">{nameStep(step)}</h3>
          <Variants step={step} flow={flow} currency={currency} isEdited={isEdited} />
        </section>
      ))}
      <Text fz="xs" c="dimmed">
        {formatDay(from)} – {formatDay(to)} ·{' '}
        {countedAt === null ? (
          'nothing counted yet'
        ) : (
          <>
            updated <TimeAgo at={countedAt} />
          </>
        )}
      </Text>
    </Stack>
  )
}

interface Column {
  key: keyof typeof reportDefinitions
  label: string
  cell: (step: StepFigures) => string
  /** Empty: a sum would mean nothing. */
  total: (steps: readonly StepFigures[]) => string
}

const sumOf = (key: 'planned' | 'sent' | 'clicked' | 'orders' | 'unsubscribed'): Pick<Column, 'cell' | 'total'> => ({
  cell: (step) => formatCount(step[key]),
  total: (steps) => formatCount(sumSteps(steps, key)),
})

const listColumns = (steps: readonly StepFigures[], currency: string): Column[] => [
  { key: 'planned', label: 'Planned', ...sumOf('planned') },
  { key: 'sent', label: 'Sent', ...sumOf('sent') },
  // Email reports no delivery.
  ...(steps.some(({ delivered }) => delivered !== null)
    ? [{ key: 'delivered' as const, label: 'Delivered', cell: describeDelivered, total: () => '' }]
    : []),
  { key: 'clicked', label: 'Clicked', ...sumOf('clicked') },
  { key: 'orders', label: 'Orders', ...sumOf('orders') },
  {
    key: 'revenue',
    label: 'Revenue',
    cell: ({ revenue }) => formatMoney(revenue, currency),
    total: () => formatMoney(sumSteps(steps, 'revenue'), currency),
  },
  {
    key: 'revenuePerRecipient',
    label: 'Revenue per recipient',
    cell: ({ revenuePerRecipient: each }) => (each === null ? '–' : formatMoney(each, currency)),
    total: () => '',
  },
  { key: 'unsubscribed', label: 'Unsubscribed', ...sumOf('unsubscribed') },
]

/** A row per message. On a phone each row is a block of its figures. */
function StepTable({ steps, currency }: { steps: readonly StepFigures[]; currency: string }) {
  const columns = listColumns(steps, currency)
  return (
    <table className="report-table" aria-label="Messages">
      <thead>
        <tr>
          <th scope="col">Message</th>
          {columns.map(({ key, label }) => (
            <th key={key} scope="col">
              <Term label={label} definition={reportDefinitions[key]} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {steps.map((step) => (
          <tr key={step.stepId}>
            <th scope="row">{nameStep(step)}</th>
            {columns.map(({ key, label, cell }) => (
              <td key={key} data-label={label} data-figure={key}>
                {cell(step)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {steps.length > 1 && (
        <tfoot>
          <tr>
            <th scope="row">All messages</th>
            {columns.map(({ key, label, total }) => (
              <td key={key} data-label={label} data-figure={key}>
                {total(steps)}
              </td>
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  )
}

/** Reasons of all messages, with a count per message. */
function SkippedMessages({ steps }: { steps: readonly StepFigures[] }) {
  const rows = listSkipped(steps)
  if (rows.length === 0) return null
  const whole = rows.reduce((sum, { total }) => sum + total, 0)
  return (
    <details className="report-skipped">
      <summary>Not sent: {formatCount(whole)}, by reason</summary>
      <table className="report-table" aria-label="Not sent, by reason">
        <thead>
          <tr>
            <th scope="col">Reason</th>
            {steps.map((step) => (
              <th key={step.stepId} scope="col">
                {nameStep(step)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ explanation, counts }) => (
            <tr key={explanation}>
              <th scope="row">{explanation}</th>
              {counts.map((count, place) => (
                <td
                  key={steps[place]!.stepId}
                  data-label={nameStep(steps[place]!)}
                  data-empty={count === 0 || undefined}
                >
                  {count === 0 ? '–' : formatCount(count)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

interface Props {
  step: StepFigures
  flow: FlowView
  currency: string
  /** Whether the flow has unsaved changes, which choosing a winner would discard. */
  isEdited: boolean
}

/** Compares a step's variants with the first one. Only a member chooses the winner. */
function Variants({ step, flow, currency, isEdited }: Props) {
  const mayWrite = useHasPermission('flows:write')
  const [selected, setSelected] = useState<VariantFigures | null>(null)
  const first = step.variants[0]!
  const isRunning = step.step !== null && step.variants.filter(({ isCurrent }) => isCurrent).length > 1
  return (
    <Stack gap="sm">
      <Text fz="sm" fw={550} component="h4" m={0}>
        A/B test
      </Text>
      <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {step.variants.map((variant) => (
          <li key={variant.variantId} className="report-variant">
            <Text fz="sm" fw={550} mb={6}>
              Variant {variant.name}
              {variant.isCurrent ? ` · ${variant.sharePercent}%` : ' · ended'}
            </Text>
            <FactList
              facts={[
                { label: 'People', definition: reportDefinitions.people, value: formatCount(variant.people) },
                { label: 'Bought', definition: reportDefinitions.bought, value: formatCount(variant.bought) },
                { label: 'Clicked', definition: reportDefinitions.clicked, value: formatCount(variant.clicked) },
                {
                  label: 'Revenue',
                  definition: reportDefinitions.revenue,
                  value: formatMoney(variant.revenue, currency),
                },
              ]}
            />
            <Text fz="sm" mt="xs">
              {describeComparison(variant, first, step.purchasesNeeded)}
            </Text>
            {mayWrite && isRunning && variant.isCurrent && (
              <Button
                mt="xs"
                size="compact-sm"
                variant="default"
                disabled={isEdited}
                aria-label={`Choose variant ${variant.name} as the winner`}
                onClick={() => setSelected(variant)}
              >
                Choose as the winner
              </Button>
            )}
          </li>
        ))}
      </Stack>
      {isRunning && isEdited && (
        <Text fz="xs" c="dimmed">
          Save or discard your changes before you choose a winner.
        </Text>
      )}
      {selected && <AskFirst flowId={flow.id} step={step} variant={selected} onClose={() => setSelected(null)} />}
    </Stack>
  )
}

interface AskProps {
  flowId: string
  step: StepFigures
  variant: VariantFigures
  onClose: () => void
}

function AskFirst({ flowId, step, variant, onClose }: AskProps) {
  const choosing = useChooseWinner(flowId)
  const hasDifference = step.variants.some(({ comparison }) => comparison?.excludesZero)
  return (
    <Confirm
      opened
      title={`Choose variant ${variant.name}?`}
      confirmLabel="Choose it"
      isBusy={choosing.isPending}
      problem={choosing.error?.message}
      onConfirm={() =>
        choosing.mutate(
          { stepId: step.stepId, variantId: variant.variantId },
          {
            onSuccess: () => {
              onClose()
              announce(`Variant ${variant.name} is sent from now on`)
            },
          },
        )
      }
      onClose={onClose}
    >
      <Text>Every shopper gets variant {variant.name} from now on. The figures of the others stay in the report.</Text>
      {!hasDifference && <Text mt="sm">No variant is proven to sell more yet.</Text>}
    </Confirm>
  )
}
