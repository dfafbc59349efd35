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
import { Bar, FactList, Term } from '../analytics/parts.tsx'
import {
  buildFunnel,
  computeWidth,
  describeComparison,
  nameStep,
  reportDefinitions,
  type StepFigures,
  sumSteps,
  type VariantFigures,
} from './rules.ts'

/** Results of a flow's messages, step by step. `isEdited`: the flow has unsaved changes. */
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
  const total = sumSteps(steps)
  return (
    <Stack gap="lg">
      <div className="report-total">
        <FactList
          facts={[
            {
              label: 'Revenue recovered',
              definition: reportDefinitions.revenue,
              value: formatMoney(total.revenue, currency),
            },
            { label: 'Orders', definition: reportDefinitions.orders, value: formatCount(total.orders) },
            { label: 'Sent', definition: reportDefinitions.sent, value: formatCount(total.sent) },
          ]}
        />
        <Text fz="xs" c="dimmed" mt="xs">
          {formatDay(from)} – {formatDay(to)} ·{' '}
          {countedAt === null ? (
            'nothing counted yet'
          ) : (
            <>
              updated <TimeAgo at={countedAt} />
            </>
          )}
        </Text>
      </div>
      {steps.map((step) => (
        <Step key={step.stepId} step={step} flow={flow} currency={currency} isEdited={isEdited} />
      ))}
    </Stack>
  )
}

interface StepProps {
  step: StepFigures
  flow: FlowView
  currency: string
  isEdited: boolean
}

function Step({ step, flow, currency, isEdited }: StepProps) {
  const { revenue, revenuePerRecipient, unsubscribed, variants } = step
  return (
    <section className="report-step" aria-label={nameStep(step)}>
      <h3 className="block-title">{nameStep(step)}</h3>
      {step.planned + step.sent + step.skipped.length === 0 ? (
        <Text fz="sm" c="dimmed" mt="xs">
          No messages in this period.
        </Text>
      ) : (
        <>
          <ul className="funnel" aria-label="From planned to orders">
            {buildFunnel(step).map(({ key, label, text, width }) => (
              <li key={key}>
                <Term label={label} definition={reportDefinitions[key]} />
                <span className="funnel-count">{text}</span>
                <Bar width={width} />
              </li>
            ))}
          </ul>
          <FactList
            facts={[
              { label: 'Revenue', definition: reportDefinitions.revenue, value: formatMoney(revenue, currency) },
              {
                label: 'Revenue per recipient',
                definition: reportDefinitions.revenuePerRecipient,
                value: revenuePerRecipient === null ? '–' : formatMoney(revenuePerRecipient, currency),
              },
              { label: 'Unsubscribed', definition: reportDefinitions.unsubscribed, value: formatCount(unsubscribed) },
            ]}
          />
          <SkippedMessages step={step} />
          {variants.length > 1 && <Variants step={step} flow={flow} currency={currency} isEdited={isEdited} />}
        </>
      )}
    </section>
  )
}

/** Bars from zero, as shares of all unsent messages. */
function SkippedMessages({ step: { skipped } }: { step: StepFigures }) {
  if (skipped.length === 0) return null
  const whole = skipped.reduce((sum, { count }) => sum + count, 0)
  return (
    <div>
      <Text fz="sm" component="h4" m={0}>
        <Term label={`Not sent: ${formatCount(whole)}, by reason`} definition={reportDefinitions.skipped} />
      </Text>
      <ul className="coverage not-sent">
        {skipped.map(({ reason, explanation, count }) => (
          <li key={reason}>
            <span>{explanation}</span>
            <span className="number">{formatCount(count)}</span>
            <Bar width={computeWidth(count, whole)} />
          </li>
        ))}
      </ul>
    </div>
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
