// Preloaded into a program: simulates a system on which processes cannot share a port, such as macOS and Windows.
import net from 'node:net';

const { value: listen } = Object.getOwnPropertyDescriptor(net.Server.prototype, 'listen') ?? {};

net.Server.prototype.listen = function listenAlone(this: net.Server, ...args: unknown[]): net.Server {
  const [options] = args;
  if (typeof options !== 'object' || options === null || !('reusePort' in options) || options.reusePort !== true) {
    return Reflect.apply(listen, this, args);
  }
  const error = Object.assign(new Error('listen ENOTSUP'), { code: 'ENOTSUP' });
  process.nextTick(() => this.emit('error', error));
  return this;
};
