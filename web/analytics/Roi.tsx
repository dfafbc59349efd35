import { Button, Skeleton, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { lazy, type ReactNode, Suspense, useRef } from 'react'
import { Link } from 'react-router'
import { type AnalyticsRange, analyticsTexts, type Roi } from '../../shared/analytics.ts'
import { definitions } from '../../shared/analytics-definitions.ts'
import { computeReturn } from '../../shared/roi.ts'
import { useHasFeature } from '../access/queries.ts'
import type { Subject } from '../dashboard/chart-subject.ts'
import { markRunning } from '../dashboard/running.ts'
import { formatMoney, formatRound } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { PictureButton } from './PictureButton.tsx'
import { Block } from './parts.tsx'
import { useRoi } from './queries.ts'
import { MAX_ORIGINS, Rows, SaveCsv, type Sheet, useFirstRows } from './Rows.tsx'
import { formatMonth, rangeLabels } from './rules.ts'
import { moneyCell, rateCell, textCell } from './table.ts'

const SeriesChart = lazy(async () => ({ default: (await import('../dashboard/RecoveryChart.tsx')).RecoveryChart }))

const channelTitles = { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp', push: 'Push' } as const

/** ROI Tracking (A 9, decision 154): cost of messages and plan against the revenue they brought. */
export function RoiBlock({ range }: { range: AnalyticsRange }) {
  const hasRoi = useHasFeature('roi_tracking')
  const roi = useRoi(range, hasRoi === true)
  if (hasRoi === null) return null
  if (!hasRoi) {
    return (
      <Block title="ROI Tracking" className="locked">
        <Text>
          <IconLock size={16} aria-hidden /> {analyticsTexts.roiPlan}
        </Text>
        <Button component={Link} to="/pricing" mt="sm">
          See plans
        </Button>
      </Block>
    )
  }
  return (
    <Block title="ROI Tracking">
      <Loaded
        query={roi}
        loading={<Skeleton h={320} role="status" aria-label="Loading" />}
        failed="The costs could not be loaded"
      >
        {(known) =>
          known.months.length === 0 ? <Text c="dimmed">No messages yet.</Text> : <Known roi={known} range={range} />
        }
      </Loaded>
    </Block>
  )
}

function Known({ roi, range }: { roi: Roi; range: AnalyticsRange }) {
  const { currency } = roi
  const amount = (value: number | null) => moneyCell(value, currency)
  return (
    <>
      <MonthChart roi={roi} />
      <RoiTable
        title="By month, the last 12 at most"
        days={{ firstDay: roi.months[0]!.month, lastDay: roi.months.at(-1)!.month }}
        head={[
          ['Month'],
          ['Attributed revenue', definitions.roiRevenue],
          ['Message cost', definitions.messageCost],
          ['Plan', definitions.planPrice],
          ['What is left', definitions.whatIsLeft],
          ['Return', definitions.roiReturn],
          ['Discounts given', definitions.discountsGiven],
        ]}
        rows={roi.months.toReversed().map((month, place) => {
          const { left, rate: back } = computeReturn(month)
          const name = place === 0 ? runningMonth(month.month) : formatMonth(month.month)
          return [
            ...[{ shown: name, value: month.month }, amount(month.attributedRevenue), amount(month.messageCost)],
            ...[amount(month.planPrice), amount(left), rateCell(back), amount(month.discounts)],
          ]
        })}
      />
      <Notes
        costs={roi.otherCostsByMonth}
        more={
          roi.months.every(({ planPrice }) => planPrice === null)
            ? `The plan is paid in ${roi.planCurrency} and is not taken off.`
            : ''
        }
      />
      <Parts
        title={`By channel, ${rangeLabels[range].toLowerCase()}`}
        name="Channel"
        rows={roi.channels.map((row) => ({ ...row, name: channelTitles[row.channel] }))}
        roi={roi}
      />
      <Parts
        title={`By flow and campaign, ${rangeLabels[range].toLowerCase()}`}
        name="Sent by"
        rows={roi.origins}
        roi={roi}
      />
      <Notes costs={roi.otherCosts} more="The plan’s price belongs to no channel, flow or campaign." />
    </>
  )
}

interface PartsProps {
  title: string
  name: string
  rows: readonly { name: string; attributedRevenue: number; messageCost: number; discounts: number }[]
  roi: Roi
}

function Parts({ title, name, rows, roi }: PartsProps) {
  const amount = (value: number) => moneyCell(value, roi.currency)
  if (rows.length === 0) {
    return (
      <>
        <h3 className="roi-title">{title}</h3>
        <Text c="dimmed">No messages in this period.</Text>
      </>
    )
  }
  return (
    <RoiTable
      title={title}
      days={roi}
      head={[
        [name],
        ['Attributed revenue', definitions.roiRevenue],
        ['Message cost', definitions.messageCost],
        ['What is left', definitions.whatIsLeft],
        ['Return', definitions.roiReturn],
        ['Discounts given', definitions.discountsGiven],
      ]}
      rows={rows.map((row) => {
        const { left, rate: back } = computeReturn(row)
        return [
          ...[textCell(row.name), amount(row.attributedRevenue), amount(row.messageCost)],
          ...[amount(left), rateCell(back), amount(row.discounts)],
        ]
      })}
    />
  )
}

function RoiTable({ title, ...sheet }: Sheet) {
  const { shown, button } = useFirstRows(sheet.rows, MAX_ORIGINS)
  return (
    <>
      <div className="block-sub">
        <h3 className="roi-title">{title}</h3>
        <SaveCsv {...sheet} title={`ROI ${title}`} />
      </div>
      <Rows {...sheet} rows={shown} name={`ROI ${title.split(',')[0]!.toLowerCase()}`} />
      {button}
    </>
  )
}

/** Costs in other currencies; currencies are never added (decision 21). */
function Notes({ costs, more }: { costs: Roi['otherCosts']; more: ReactNode }) {
  const others = costs.map(({ currency, messageCost }) => formatMoney(messageCost, currency)).join(', ')
  if (!others && !more) return null
  return (
    <Text fz="xs" c="dimmed" mt="xs">
      {others && `Costs of messages in other currencies, which are not in the table: ${others}. `}
      {more}
    </Text>
  )
}

/** The period is still running. */
const runningMonth = (month: string) => `${formatMonth(month)} (so far)`

function MonthChart({ roi: { months, currency } }: { roi: Roi }) {
  const canvas = useRef<HTMLCanvasElement | null>(null)
  const data = markRunning({
    labels: months.map(({ month }) => formatMonth(month)),
    datasets: [
      { label: 'Attributed revenue', data: months.map(({ attributedRevenue }) => attributedRevenue) },
      { label: 'Costs', data: months.map((month) => computeReturn(month).costs) },
    ],
  })
  const format = (value: number | null) => formatMoney(value ?? 0, currency)
  const subject: Subject = {
    ...{
      measure: 'money' as const,
      name: 'Revenue and costs',
      definition: '',
      nothing: '',
      format,
      formatTotal: format,
    },
    axis: `Amount (${currency})`,
    formatMark: (value) => formatRound(value, currency),
  }
  return (
    <>
      <div className="block-sub">
        <h3 className="roi-title">Revenue and costs by month</h3>
        <PictureButton canvas={canvas} file="revenue-and-costs.png" />
      </div>
      <div className="trend-plot">
        <Suspense fallback={<Skeleton h="100%" />}>
          <SeriesChart
            {...{ canvas, data, subject }}
            type="bar"
            name="by month"
            numbersAt="The table below shows each number."
          />
        </Suspense>
      </div>
      <Text fz="xs" c="dimmed" mt="xs">
        {definitions.roiRevenue} {definitions.roiCosts}
      </Text>
    </>
  )
}
