// Refreshes the conversations and the open phone. Every page works without it.
const list = document.getElementById('list')
const thread = document.getElementById('thread')
const news = document.getElementById('news')
const EVERY_MS = 1200
const tags = { list: '', thread: '' }

if (thread) thread.scrollTop = thread.scrollHeight

async function refresh(name, element, address, replace) {
  const response = await fetch(address, { headers: tags[name] ? { 'if-none-match': tags[name] } : {} })
  if (response.status !== 200) return
  tags[name] = response.headers.get('etag') ?? ''
  replace(element, await response.text())
}

function replaceList(element, fragment) {
  const before = readTotal(element)
  const focused = document.activeElement?.closest?.('#list a')?.getAttribute('href')
  element.innerHTML = fragment
  if (focused) element.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true })
  const now = readTotal(element)
  // The first message also changes the rest of an empty page.
  if (before === 0 && now > 0 && !thread) return location.reload()
  if (now > before) news.textContent = 'New message'
}

const readTotal = (element) => Number(element.querySelector('.status')?.dataset.total ?? 0)

function replaceThread(element, fragment) {
  const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 40
  element.innerHTML = fragment
  if (isAtEnd) element.scrollTop = element.scrollHeight
}

async function refreshAll() {
  if (document.hidden) return
  if (list) await refresh('list', list, `/phone/list${location.search}`, replaceList)
  if (thread) await refresh('thread', thread, `/phone/thread?${thread.dataset.query}`, replaceThread)
}

document.addEventListener('visibilitychange', () => refreshAll().catch(() => {}))
// Ignores a stopped sandbox and tries again.
setInterval(() => refreshAll().catch(() => {}), EVERY_MS)
