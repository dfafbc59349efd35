import { Skeleton, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { SAMPLE_CART } from '../../../shared/delivery/reminders.ts'
import { useMessagePreview } from '../../kits/message-editor/queries.ts'
import { useBrand } from '../brand/queries.ts'
import { type NotificationText, needsRendering } from './rules.ts'

const PAUSE_MS = 300

interface Props {
  storeId: string
  storeName: string
  /** Host that the browser names as the sender. */
  host: string
  content: NotificationText
}

/** The notification as phones and computers show it, rendered for the sample cart by the code that sends. */
export function NotificationPreview({ storeId, storeName, host, content }: Props) {
  const [settled] = useDebouncedValue(content, PAUSE_MS)
  const preview = useMessagePreview({
    channel: 'push',
    cartId: SAMPLE_CART,
    subject: settled.title,
    body: settled.body,
  }).data
  const logo = useBrand(storeId).data?.logo?.path ?? null
  const isRendered = preview && !preview.problem
  const shown = {
    title: needsRendering(content.title) ? (isRendered ? preview.subject : '') : content.title,
    body: needsRendering(content.body) ? (isRendered ? preview.text : '') : content.body,
    picture: preview?.picture ?? null,
    logo,
    storeName,
    host,
  }
  return (
    <div className="push-screens">
      <PhoneNotification {...shown} />
      <DesktopNotification {...shown} />
      {preview?.problem && (
        <Text fz="sm" c="var(--rc-bad)" role="alert">
          {preview.problem}
        </Text>
      )}
    </div>
  )
}

interface Shown extends NotificationText {
  picture: string | null
  logo: string | null
  storeName: string
  host: string
}

const PhoneNotification = ({ picture, ...shown }: Shown) => (
  <figure className="push-phone" aria-label="On a phone">
    <span className="push-clock" aria-hidden>
      9:41
    </span>
    <div className="push-note">
      <span className="push-from">
        <Icon {...shown} />
        {shown.host} · now
      </span>
      <Words {...shown} />
      {picture && <img src={picture} alt="" className="push-picture" />}
      <Actions />
    </div>
  </figure>
)

const DesktopNotification = (shown: Shown) => (
  <figure className="push-desktop" aria-label="On a computer">
    <div className="push-note push-note-wide">
      <Icon {...shown} />
      <div className="push-words">
        <Words {...shown} />
        <span className="push-from">{shown.host}</span>
      </div>
    </div>
  </figure>
)

/** The store’s logo is sent as the icon. Without one, browsers draw their own. */
const Icon = ({ logo, storeName }: Pick<Shown, 'logo' | 'storeName'>) =>
  logo ? (
    <img src={logo} alt="" className="push-icon" />
  ) : (
    <span className="push-icon" aria-hidden>
      {storeName.slice(0, 1).toUpperCase()}
    </span>
  )

const Words = ({ title, body }: NotificationText) => (
  <>
    {title ? <strong>{title}</strong> : <Skeleton height={14} width="60%" my={3} />}
    {body ? <span className="push-body">{body}</span> : <Skeleton height={14} my={3} />}
  </>
)

/** As the composer sends them. */
const Actions = () => (
  <span className="push-actions" aria-hidden>
    <span>View cart</span>
    <span>Stop these</span>
  </span>
)
