// Refreshes the list and adds the keys J, K and /. Every page works without it.
const list = document.getElementById('list')
const news = document.getElementById('news')
const EVERY_MS = 1500
let tag = ''
let known = readCounts()

function readCounts() {
  const status = list?.querySelector('.status')
  return { total: Number(status?.dataset.total ?? 0), unread: Number(status?.dataset.unread ?? 0) }
}

async function refresh() {
  if (!list || document.hidden) return
  const params = new URLSearchParams(location.search)
  params.delete('tab')
  if (list.dataset.selected) params.set('selected', list.dataset.selected)
  const response = await fetch(`/list?${params}`, { headers: tag ? { 'if-none-match': tag } : {} })
  if (response.status !== 200) return
  tag = response.headers.get('etag') ?? ''
  replaceList(await response.text())
}

function replaceList(fragment) {
  const focused = document.activeElement?.closest?.('a[data-id]')?.dataset.id
  const scroll = list.scrollTop
  list.innerHTML = fragment
  list.scrollTop = scroll
  if (focused) list.querySelector(`a[data-id="${focused}"]`)?.focus({ preventScroll: true })
  const now = readCounts()
  // The first message also changes the rest of an empty page.
  if (known.total === 0 && now.total > 0 && !list.dataset.selected) return location.reload()
  if (now.total > known.total) news.textContent = `${now.total - known.total} new`
  document.title = document.title.replace(/^(\(\d+\) )?/, now.unread ? `(${now.unread}) ` : '')
  known = now
}

function step(by) {
  const rows = [...(list?.querySelectorAll('a[data-id]') ?? [])]
  const at = rows.findIndex((row) => row === document.activeElement || row.getAttribute('aria-current') === 'true')
  const target = rows[at < 0 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)]
  if (target) location.assign(target.href)
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, [popover]')) return
  if (event.key === 'j') step(1)
  if (event.key === 'k') step(-1)
  if (event.key === '/') {
    event.preventDefault()
    document.getElementById('q')?.focus()
  }
})

list?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' })
document.addEventListener('visibilitychange', () => refresh().catch(() => {}))
// Ignores a stopped mailbox and tries again.
setInterval(() => refresh().catch(() => {}), EVERY_MS)
