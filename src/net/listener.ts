/**
 * listener: the server's listening sockets and their connections.
 *
 * An accepted socket is taken as the handle it is (handle-socket.ts) before Node makes a stream of it: the listening handle's
 * `onconnection` is ours. That is not documented; where it is missing, streams come by the `connection` event and serve.
 *
 * CONFIG SET port and bind need an answer at once, while net.Server tells of a port in use only later. So the sockets of a
 * new place are bound by `bindNow` (see there), and the old ones are closed when all of the new are there.
 */
import { chmodSync, rmSync } from 'node:fs'
import net, { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net'
import { systemReason } from '../engine/config-types.ts'
import type { Engine } from '../engine/engine.ts'
import { bindAddresses, isAbsent, isLoopback } from './addresses.ts'
import type { ClientSocket } from './client-socket.ts'
import { Connection, type Host } from './connection.ts'
import { HandleSocket } from './handle-socket.ts'
import { QueryBuffers } from './query-buffers.ts'
import { Outbox } from './outbox.ts'
import { MAX_CLIENTS, PROTECTED } from './refusals.ts'
import { StreamSocket } from './stream-socket.ts'
import { isUsable, type ListenHandle, type SocketHandle } from './stream-wrap.ts'

/** Small enough for the caches, and for nobody else to wait long while the requests in it run. */
const READ_BYTES = 32 * 1024
const IPV6_ONLY = 1

/** An undocumented function of Node: binds a socket and returns its handle, or a negative error number. */
type BindNow = (host: string, port: number, family: 4 | 6, fd: number, flags: number) => object | number
const bindNow = (net as unknown as { _createServerHandle?: BindNow })._createServerHandle

/** Where to listen. */
export interface Place {
  /** The words of `bind`. */
  readonly bind: readonly string[]
  /** 0 is no TCP, unless `anyPort`. */
  readonly port: number
  /** Port 0 takes a free one. */
  readonly anyPort: boolean
  readonly backlog: number
  /** '' is no Unix socket. */
  readonly unixSocket: string
  /** 0 leaves what umask gives. */
  readonly unixMode: number
}

export class Listener implements Host {
  readonly engine: Engine
  readonly outbox: Outbox
  readonly buffers = new QueryBuffers()
  private servers: Server[] = []
  private unixServer: Server | null = null
  private readonly readBuffer = new Uint8Array(READ_BYTES)
  readonly connections = new Set<Connection>()
  /** Those that go on in the next turn. */
  private resting = new Set<Connection>()
  /** Sockets of which something is left. */
  private sockets = 0
  /** Who waits for that. */
  private whenNoneIsLeft: (() => void)[] = []
  maxClients = 10000
  keepAliveSeconds = 300
  /** protected-mode: only this machine may connect as long as the default user has no password. */
  protectedMode = false

  constructor(engine: Engine) {
    this.engine = engine
    this.outbox = new Outbox(engine)
    engine.endOfTurn.push(() => this.goOn())
    engine.memory.others.push(() => this.buffers.bytes)
    engine.memory.spares.push(() => this.buffers.release())
    engine.cron.jobs.push(() => this.buffers.rest())
  }

  /** Resolves when all sockets listen; rejects with the error of the first that cannot. */
  async listen(place: Place): Promise<void> {
    if (place.port !== 0 || place.anyPort) await this.listenTcp(place)
    if (place.unixSocket !== '') await this.listenUnix(place)
  }

  private async listenTcp({ bind, port, backlog }: Place): Promise<void> {
    let chosen = port
    for (const { host, isV6, shown, optional } of bindAddresses(bind)) {
      const server = this.newServer()
      try {
        await started(server, { host, port: chosen, backlog, ipv6Only: isV6 })
      } catch (error) {
        if (optional && isAbsent(error)) continue
        const reason = `Could not create server TCP listening socket ${shown}:${chosen}: bind: ${systemReason(error)}`
        this.engine.log.warning(`Warning: ${reason}`)
        await this.close()
        throw new Error(reason, { cause: error })
      }
      if (chosen === 0) chosen = (server.address() as AddressInfo).port
      this.servers.push(server)
    }
  }

  private async listenUnix({ unixSocket, unixMode, backlog }: Place): Promise<void> {
    rmSync(unixSocket, { force: true })
    const server = this.newServer()
    try {
      await started(server, { path: unixSocket, backlog })
      if (unixMode !== 0) chmodSync(unixSocket, unixMode)
    } catch (error) {
      const reason = `Failed opening Unix socket: bind: ${systemReason(error)}`
      this.engine.log.warning(reason)
      await this.close()
      throw new Error(reason, { cause: error })
    }
    this.unixServer = server
  }

  /** Listens for TCP somewhere else; false when it cannot, and then the caller comes back with the old place. Connections stay. */
  moveTcp({ bind, port, backlog }: Place): boolean {
    if (bindNow === undefined) return false
    const old = this.servers
    const inTheWay = old.some((server) => (server.address() as AddressInfo | null)?.port === port)
    if (inTheWay) this.shut(old)
    const fresh = port === 0 ? [] : this.serversAt(bind, port, backlog)
    if (!inTheWay && fresh !== null) this.shut(old)
    this.servers = fresh ?? (inTheWay ? [] : old)
    return fresh !== null
  }

  /** Servers on all addresses, or null and none. */
  private serversAt(bind: readonly string[], port: number, backlog: number): Server[] | null {
    const servers: Server[] = []
    for (const { host, isV6, shown, optional } of bindAddresses(bind)) {
      const handle = (bindNow as BindNow)(host, port, isV6 ? 6 : 4, -1, isV6 ? IPV6_ONLY : 0)
      const server = this.newServer()
      server.on('error', () => {})
      if (typeof handle !== 'number') server.listen(handle, backlog)
      if (server.listening) servers.push(server)
      else if (!optional) {
        this.engine.log.warning(`Warning: Could not create server TCP listening socket ${shown}:${port}`)
        this.shut(servers)
        return null
      }
    }
    return servers
  }

  private shut(servers: readonly Server[]): void {
    for (const server of servers) server.close()
  }

  private newServer(): Server {
    const server = createServer({ noDelay: true }, (socket) => this.accept(new StreamSocket(socket, this.socketClosed), server))
    server.on('listening', () => this.acceptHandles(server))
    return server
  }

  /** Has what is accepted come as a handle, where it can be served as such. */
  private acceptHandles(server: Server): void {
    const listening = (server as unknown as { _handle: ListenHandle | null })._handle
    const asStream = listening?.onconnection
    if (!listening || typeof asStream !== 'function') return
    listening.onconnection = (status, handle) => {
      if (status === 0 && isUsable(handle)) this.acceptHandle(handle, server)
      else asStream.call(listening, status, handle)
    }
  }

  private acceptHandle(handle: SocketHandle, server: Server): void {
    handle.setNoDelay?.(true)
    this.accept(new HandleSocket(handle, this.readBuffer, this.socketClosed), server)
  }

  private readonly socketClosed = (): void => {
    if (--this.sockets === 0) for (const tell of this.whenNoneIsLeft.splice(0)) tell()
  }

  /** The address of the first TCP socket; null when there is none. */
  get address(): AddressInfo | null {
    return (this.servers[0]?.address() ?? null) as AddressInfo | null
  }

  /** The kinds of sockets that listen, for the log. */
  get kinds(): string[] {
    return [...(this.servers.length > 0 ? ['tcp'] : []), ...(this.unixServer === null ? [] : ['unix'])]
  }

  /** Stops listening and drops every connection; resolves when no handle is left. */
  async close(): Promise<void> {
    this.outbox.flush()
    const servers = this.unixServer === null ? this.servers : [...this.servers, this.unixServer]
    this.servers = []
    this.unixServer = null
    const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())))
    for (const connection of [...this.connections]) connection.destroy()
    await Promise.all(closed)
    if (this.sockets > 0) await new Promise<void>((resolve) => this.whenNoneIsLeft.push(resolve))
  }

  private accept(socket: ClientSocket, server: Server): void {
    const { engine } = this
    this.sockets++
    if (this.connections.size >= this.maxClients) return this.refuse(socket, MAX_CLIENTS)
    engine.stats.connections++
    if (this.protectedMode && !engine.authRequired && !isLoopback(socket.peerName)) return this.refuse(socket, PROTECTED)
    const unixPath = server === this.unixServer ? (server.address() as string) : ''
    if (unixPath === '' && this.keepAliveSeconds > 0) socket.keepAlive(this.keepAliveSeconds)
    const connection = new Connection(this, socket, unixPath)
    this.connections.add(connection)
    socket.start(connection)
  }

  /** The kernel has room for the error; nobody waits for a peer that it has none for. */
  private refuse(socket: ClientSocket, error: Uint8Array): void {
    this.engine.stats.rejectedConnections++
    socket.write(error, 0, error.length)
    socket.destroy()
  }

  goOnLater(connection: Connection): void {
    this.resting.add(connection)
    this.engine.scheduleEndOfTurn()
  }

  forget(connection: Connection): void {
    this.connections.delete(connection)
    this.resting.delete(connection)
  }

  private goOn(): void {
    const { resting } = this
    if (resting.size === 0) return
    this.resting = new Set()
    for (const connection of resting) connection.goOn()
  }

  /** Ends connections that have stayed above a soft output limit for too long. */
  checkOutputs(): void {
    for (const connection of this.connections) connection.checkOutput()
  }
}

function started(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      server.on('error', () => {})
      resolve()
    })
  })
}
