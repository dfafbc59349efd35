import type { Roi } from '../../../shared/analytics.ts'
import { channelLabel, definitions } from '../../../shared/analytics-definitions.ts'
import type { CsvCell } from '../../../shared/csv.ts'
import { computeReturn } from '../../../shared/roi.ts'
import type { FileBlock } from './blocks.ts'

// ROI Tracking in the file: costs of messages and plan, and their revenue (decisions 100 and 154). Pure.

export function roiBlocks({ months, channels, origins, currency, ...others }: Roi): FileBlock[] {
  const amount = (name: string) => `${name} (${currency})`
  const [revenue, cost, left, discounts] = [
    [amount('Attributed revenue'), definitions.roiRevenue],
    [amount('Message cost'), definitions.messageCost],
    [amount('What is left'), definitions.whatIsLeft],
    [amount('Discounts given'), definitions.discountsGiven],
  ] as const
  const rate = ['Return', definitions.roiReturn] as const
  const cells = (row: Roi['channels'][number] | Roi['origins'][number]): CsvCell[] => {
    const { left: rest, rate: back } = computeReturn(row)
    return [row.attributedRevenue, row.messageCost, rest, back, row.discounts]
  }
  return [
    {
      title: 'ROI Tracking by month',
      columns: [
        ['Month', 'By the store’s calendar, the last 12 at most. The last one is not over.'],
        ...[revenue, cost, [amount('Plan'), definitions.planPrice] as const, left, rate, discounts],
      ],
      rows: months.map((month) => {
        const { left: rest, rate: back } = computeReturn(month)
        return [
          ...[month.month, month.attributedRevenue, month.messageCost, month.planPrice],
          ...[rest, back, month.discounts],
        ]
      }),
    },
    {
      title: 'ROI Tracking by channel',
      columns: [['Channel', 'Of the messages of the range.'], revenue, cost, left, rate, discounts],
      rows: channels.map((row) => [channelLabel(row.channel), ...cells(row)]),
    },
    {
      title: 'ROI Tracking by flow and campaign',
      columns: [['Sent by', 'The flow, the campaign, or a member.'], revenue, cost, left, rate, discounts],
      rows: origins.map((row) => [row.name, ...cells(row)]),
    },
    ...otherCosts(others),
  ]
}

function otherCosts({ otherCosts: ofRange }: Pick<Roi, 'otherCosts'>): FileBlock[] {
  if (ofRange.length === 0) return []
  return [
    {
      title: 'Costs in other currencies',
      columns: [
        ['Currency', 'Not added to any of the other figures.'],
        ['Message cost', definitions.messageCost],
      ],
      rows: ofRange.map((each) => [each.currency, each.messageCost]),
    },
  ]
}
