import { Card, Table, Text, Title } from '@mantine/core'
import { IconCheckbox } from '@tabler/icons-react'
import { Fragment } from 'react'
import { boxCountDays, type ConsentBoxCounts } from '../../shared/consent-box.ts'
import { useStore } from '../access/queries.ts'
import { usePlugin } from '../stores/plugin-queries.ts'
import { Empty } from '../ui/Empty.tsx'
import { formatCount, formatCounted } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingRows } from '../ui/Loading.tsx'
import { buildCountRows, type CountLine, countTicksApart, placeTexts } from './box-counts.ts'
import { useConsentBoxCounts } from './box-queries.ts'
import { boxTitles } from './box-text.ts'

/** How many shoppers tick the consent boxes, by place and text. */
export function BoxCounts({ isPlugin }: { isPlugin: boolean }) {
  const counts = useConsentBoxCounts()
  return (
    <Card component="section" aria-labelledby="box-counts">
      <Title order={2} id="box-counts">
        How many shoppers tick the boxes
      </Title>
      <Text fz="sm" c="dimmed" mt={4} maw={680}>
        In the last {boxCountDays} days. The counts do not name any shopper.
      </Text>
      <Loaded query={counts} loading={<LoadingRows count={2} />} failed="The counts could not be loaded">
        {(data) =>
          data.counts.length === 0 ? <NoCounts mode={data.mode} isPlugin={isPlugin} /> : <Counts {...data} />
        }
      </Loaded>
    </Card>
  )
}

function NoCounts({ mode, isPlugin }: { mode: ConsentBoxCounts['mode']; isPlugin: boolean }) {
  const plugin = usePlugin(useStore()!.id)
  const isOlder = isPlugin && plugin.data?.plugin?.showsLanguages === false
  const text = isOlder
    ? 'Update the plugin to see how many shoppers tick the boxes.'
    : mode === 'nothing'
      ? 'They appear when a shopper ticks a box.'
      : 'They appear when shoppers fill in a form that shows a box.'
  return <Empty icon={IconCheckbox} title="No figures yet" text={text} />
}

function Counts({ counts, mode }: ConsentBoxCounts) {
  const apart = countTicksApart(counts)
  return (
    <>
      <Table mt="sm" className="box-counts">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Box</Table.Th>
            <Table.Th className="number">Shoppers</Table.Th>
            <Table.Th className="number">Ticked</Table.Th>
            <Table.Th className="number">Share</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {buildCountRows(counts).map(({ key, channel, place, lines, ...row }) => (
            <Fragment key={key}>
              <Table.Tr>
                <Table.Th scope="row">
                  {boxTitles[channel]}
                  <Text component="span" display="block" fz="sm" fw={400} c="dimmed">
                    {placeTexts[place]}
                  </Text>
                </Table.Th>
                <Numbers {...row} />
              </Table.Tr>
              {lines.map((line) => (
                <Table.Tr key={line.language} className="box-counts-line">
                  <Table.Th scope="row">{line.language}</Table.Th>
                  <Numbers {...line} />
                </Table.Tr>
              ))}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
      <Text fz="sm" c="dimmed" mt="sm" maw={680}>
        {mode === 'nothing'
          ? 'Recoup stores nothing before consent, so it hears only of shoppers who agreed. Their ticks are counted, but there is no share.'
          : 'Shoppers who started to fill in a form with the box. A cart counts once for each form; My account counts each time it is saved with an empty box. Shoppers who refused in your consent tool are not included.'}
        {apart > 0 &&
          ` ${formatCounted(apart, 'more tick', 'more ticks')} came while nothing was stored before consent, and ${apart === 1 ? 'is' : 'are'} not part of a share.`}
      </Text>
    </>
  )
}

const percents = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 })

const Numbers = ({ shown, ticked, share }: CountLine) => (
  <>
    <Table.Td className="number">{shown === null ? '–' : formatCount(shown)}</Table.Td>
    <Table.Td className="number">{formatCount(ticked)}</Table.Td>
    <Table.Td className="number">{share === null ? '–' : percents.format(share)}</Table.Td>
  </>
)
