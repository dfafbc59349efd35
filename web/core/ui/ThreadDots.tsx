import { Tooltip } from '@mantine/core'
import { describeStation, outcomeWords, type Station, StationSign } from './Thread.tsx'

interface Props {
  /** Accessible name; the stations follow it. */
  label: string
  stations: readonly Station[]
  /** Makes the whole thread one button. Without it the thread is no tab stop, as inside a link. */
  onOpen?: () => void
}

/** The thread of a table row: dots on a line, with one tooltip for all stations. */
export function ThreadDots({ label, stations, onOpen }: Props) {
  const dots = stations.map((station, index) => (
    <span key={station.key} className="thread-dot" {...describeStation(stations, index)}>
      <StationSign outcome={station.outcome} />
    </span>
  ))
  const name = `${label}: ${stations.map(formatStation).join('; ')}`
  return (
    <Tooltip label={<Legend stations={stations} />} position="top-start" openDelay={120}>
      {onOpen ? (
        <button type="button" className="thread" data-size="row" aria-label={name} onClick={onOpen}>
          {dots}
        </button>
      ) : (
        <span className="thread" data-size="row" role="img" aria-label={name}>
          {dots}
        </span>
      )}
    </Tooltip>
  )
}

/** `Message, waiting, in 2 h` */
const formatStation = ({ label, outcome, detail }: Station) =>
  [label, outcomeWords[outcome], ...(typeof detail === 'string' ? [detail] : [])].join(', ')

const Legend = ({ stations }: Pick<Props, 'stations'>) => (
  <span className="thread-legend">
    {stations.map(({ key, label, outcome, detail }) => (
      <span key={key} data-outcome={outcome}>
        <StationSign outcome={outcome} />
        <span>
          <b>{label}</b> {detail ?? outcomeWords[outcome]}
        </span>
      </span>
    ))}
  </span>
)
